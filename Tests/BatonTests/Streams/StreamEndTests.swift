// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonLoopback
import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

/// Tests streams through a daemon, which decides whether an end of file means that all data has
/// arrived.
@Suite(.timeLimit(.minutes(5))) struct StreamEndTests {
    /// Runs a closure with a daemon that offers an activity with streams.
    private func withOffer(_ body: @Sendable (FakeDaemon, BatonConnection) async throws -> Void) async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa", type: "org.example.a")
            var state = ActivityState(activityType: "org.example.a")
            state.supportsContinuationStreams = true
            await daemon.appear(offer, activity: state)
            try await body(daemon, connection)
        }
    }

    /// Runs a closure with a continued activity's streams and the daemon's end of them.
    private func withDaemonStreams(
        _ body: @Sendable (FakeDaemon, ContinuationPair, Int32) async throws -> Void
    ) async throws {
        try await withOffer { daemon, connection in
            let continuation = try await connection.continueOffer("1")
            let pair = try await continuation.activity.continuationPair()
            let end = try #require(await daemon.streamEnds["sc1"])
            pair.input.open()
            try await body(daemon, pair, end)
        }
    }

    /// Reads on a separate thread, because it waits for the daemon.
    private func read(_ pair: ContinuationPair) async -> Int {
        await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                var byte: UInt8 = 0
                waiting.resume(returning: pair.input.read(&byte, maxLength: 1))
            }
        }
    }

    @Test("A channel reports the progress of its streams until the daemon ends")
    func channelReportsProgress() async throws {
        try await withOffer { daemon, connection in
            let channel = try await connection.continueOffer("1").activity.continuationChannel()
            var reports = try await channel.progress().makeAsyncIterator()
            #expect(try await reports.required().received == 0)
            let later = StreamProgress(sent: 0, received: .max, transport: "tcp", isWaiting: false)
            await daemon.tell(later, of: "sc1")
            #expect(try await reports.required() == later)
            await daemon.leave()
            #expect(await reports.next() == nil)
            withExtendedLifetime(channel) {}
        }
    }

    @Test("Streams without a daemon have no progress")
    func noProgressWithoutDaemon() async throws {
        try await withStreams { origin, _ in
            let channel = try ContinuationChannel(origin)
            let error = await #expect(throws: CocoaError.self) { _ = try await channel.progress() }
            #expect(error?.code == .featureUnsupported)
        }
    }

    @Test("If the daemon ends a direction, that direction is complete")
    func daemonEndsADirection() async throws {
        try await withDaemonStreams { _, pair, end in
            _ = shutdown(end, Int32(SHUT_WR))
            #expect(await read(pair) == 0)
            #expect(pair.input.streamStatus == .atEnd)
            close(end)
        }
    }

    @Test("If both directions close while this side writes, the streams have failed")
    func bothDirectionsClosed() async throws {
        try await withDaemonStreams { _, pair, end in
            pair.output.open()
            close(end)
            #expect(await read(pair) == -1)
            #expect((pair.input.streamError as? CocoaError)?.code == .userActivityConnectionUnavailable)
            #expect(pair.output.write([1], maxLength: 1) == -1)
        }
    }

    @Test("After this side has ended, the daemon decides whether a stream is complete or failed")
    func daemonsWordDecides() async throws {
        for error in [nil, "it broke"] {
            try await withDaemonStreams { daemon, pair, end in
                pair.output.open()
                pair.output.close()
                close(end)
                async let count = read(pair)
                await daemon.endStream("sc1", error: error)
                #expect(await count == (error == nil ? 0 : -1))
                #expect(pair.input.streamStatus == (error == nil ? .atEnd : .error))
                let code = (pair.input.streamError as? CocoaError)?.code
                #expect(code == (error == nil ? nil : .userActivityConnectionUnavailable))
            }
        }
    }

    @Test("The end of the daemon fails the stream")
    func daemonThatGoesFailsTheStream() async throws {
        try await withDaemonStreams { daemon, pair, end in
            pair.output.open()
            pair.output.close()
            await daemon.leave()
            close(end)
            #expect(await read(pair) == -1)
            let error = pair.input.streamError as? CocoaError
            #expect(error?.code == .userActivityConnectionUnavailable)
            // The advice must suit the app that continued the activity.
            #expect(
                error.map { "\($0)" }?.contains("Continue the activity again.") == true,
                "\(String(describing: error))")
        }
    }

    @Test(
        "The end of the daemon also fails a stream whose input was read to its end and closed before",
        arguments: [false, true])
    func readPairIsGivenBack(outputFirst: Bool) async throws {
        try await withDaemonStreams { daemon, pair, end in
            pair.output.open()
            _ = shutdown(end, Int32(SHUT_WR))
            #expect(await read(pair) == 0)
            if outputFirst { pair.output.close() }
            pair.input.close()
            pair.output.close()
            for await call in daemon.calls {
                guard case .closedStreams = call else { continue }
                #expect(call == .closedStreams("sc1", discards: true))
                break
            }
            await daemon.streams.closed["sc1"]?.end.close()
            close(end)
        }
    }

    /// Opens the pair, runs a closure, closes the pair, and returns what the daemon received.
    private func closed(
        _ daemon: FakeDaemon, _ pair: ContinuationPair, _ use: () async -> Void
    ) async throws -> (end: OwnedDescriptor, discards: Bool) {
        pair.output.open()
        await use()
        pair.output.close()
        pair.input.close()
        for await call in daemon.calls {
            guard case .closedStreams = call else { continue }
            break
        }
        return try #require(await daemon.streams.closed["sc1"])
    }

    @Test("A pair that the app closes goes back to the daemon, with the written bytes")
    func closedPairIsGivenBack() async throws {
        try await withDaemonStreams { daemon, pair, end in
            let (given, discards) = try await closed(daemon, pair) {
                #expect(pair.output.write([1, 2, 3], maxLength: 3) == 3)
            }
            #expect(discards)
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(recv(end, &bytes, bytes.count, 0) == 3)
            #expect(send(end, [9], 1, Int32(MSG_NOSIGNAL)) == 1)
            given.close()
            close(end)
        }
    }

    @Test("After the app has begun to read a pair, no bytes are dropped silently")
    func begunPairIsGivenBack() async throws {
        try await withDaemonStreams { daemon, pair, end in
            let (given, discards) = try await closed(daemon, pair) {
                _ = send(end, [7], 1, Int32(MSG_NOSIGNAL))
                #expect(await read(pair) == 1)
            }
            #expect(!discards)
            given.close()
            close(end)
        }
    }

    @Test("If the daemon does not take a closed pair, the app reads the rest")
    func refusedPairIsRead() async throws {
        try await withDaemonStreams { daemon, pair, end in
            await daemon.refuseClosedStreams()
            pair.output.open()
            pair.output.close()
            // Close the input, which the app opened but never read.
            pair.input.close()
            let rest = [UInt8](repeating: 1, count: 4_000_000)
            let sent: Int = await withCheckedContinuation { waiting in
                Thread.detachNewThread {
                    var count = 0
                    while count < rest.count {
                        let more = rest[count...].withUnsafeBytes {
                            send(end, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                        }
                        guard more > 0 else { break }
                        count += more
                    }
                    waiting.resume(returning: count)
                }
            }
            #expect(sent == rest.count)
            close(end)
        }
    }

    @Test("Streams that are requested too late are unavailable")
    func streamsAskedForTooLate() async throws {
        try await withOffer { daemon, connection in
            let activity = try await connection.continueOffer("1").activity
            // The daemon's answer after it has forgotten the continuation.
            await daemon.fail(BatonError(.notFound, appMessage: "there is no continuation c1 of this program"))
            let late = await #expect(throws: CocoaError.self) { _ = try await activity.continuationPair() }
            #expect(late?.code == .userActivityConnectionUnavailable)
        }
    }

    @Test("A continuation is reported to the app that it came from even if the streams fail")
    func toldThoughStreamsFail() async throws {
        final class Counter: UserActivityDelegate {
            nonisolated(unsafe) var continued = 0
            nonisolated(unsafe) var received = 0
            func userActivityWasContinued(_ userActivity: UserActivity) { continued += 1 }
            func userActivity(
                _ activity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
            ) { received += 1 }
        }
        let loopback = Loopback()
        let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
        let activity = UserActivity(activityType: "org.example.a", host: desk)
        let counter = Counter()
        activity.delegate = counter
        activity.supportsContinuationStreams = true
        activity.becomeCurrent()
        let continuation = try await sofa.continueOffer(await sofa.offer(ofType: "org.example.a"))
        await continuation.accept()
        // The origin rejects the streams. The other side gets nil for both, and continues.
        activity.supportsContinuationStreams = false
        await #expect(throws: CocoaError.self) { _ = try await continuation.activity.continuationPair() }
        #expect(counter.continued == 1)
        #expect(counter.received == 0)
        activity.invalidate()
    }
}
