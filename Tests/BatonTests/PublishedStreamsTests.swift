// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import BatonTesting
import Foundation
import Glibc
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct PublishedStreamsTests {
    /// Makes an activity current whose delegate takes its streams, or does not.
    private func publish(
        on connection: BatonConnection, takes: Bool = true
    ) async throws -> (App, UserActivity) {
        let (app, activity) = (App(takes: takes), UserActivity(activityType: "org.example.note", host: connection))
        activity.delegate = app
        var events = connection.events(of: activity).makeAsyncIterator()
        activity.becomeCurrent()
        _ = try await events.required()
        return (app, activity)
    }

    @Test("Streams are offered only while there is a delegate to take them")
    func untakenStreamsNotOffered() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "org.example.t", host: connection)
            activity.supportsContinuationStreams = true
            var calls = daemon.calls.makeAsyncIterator()
            activity.becomeCurrent()
            try await calls.expectPublication()
            #expect(await daemon.activities["a1"]?.supportsContinuationStreams == false)
            let app = App()
            activity.delegate = app
            let state = try await calls.requiredUpdate()
            #expect(state.supportsContinuationStreams)
            withExtendedLifetime(app) {}
        }
    }

    @Test("The delegate gets the streams, and the tasks that wait for their end continue")
    func streamsReachTheDelegate() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let (app, activity) = try await publish(on: connection)
            let end = try await daemon.openStreams("s1", to: "a1", device: "bb", called: "sofa")
            var arrivals = app.streams.makeAsyncIterator()
            let streams = try await arrivals.required()
            #expect(streams.device == "bb" && streams.deviceName == "sofa")
            #expect(streams.transport == "tcp")
            await daemon.endStream("s1")
            try await connection.waitForEnd(of: streams)
            close(streams.descriptor)
            close(end)
            let other = try await daemon.openStreams("s2", to: "a1", device: "bb")
            let broken = try await arrivals.required()
            await daemon.endStream("s2", error: "gone")
            let error = await #expect(throws: BatonError.self) { try await connection.waitForEnd(of: broken) }
            #expect(error?.message == "gone")
            close(broken.descriptor)
            close(other)
            withExtendedLifetime(activity) {}
        }
    }

    @Test("A program gets the progress of its streams until they end")
    func progress() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let (app, activity) = try await publish(on: connection)
            let end = try await daemon.openStreams("s1", to: "a1", device: "bb")
            var arrivals = app.streams.makeAsyncIterator()
            let streams = try await arrivals.required()
            var former = try await connection.progress(of: streams).makeAsyncIterator()
            #expect(try await former.required().sent == 0)
            var reports = try await connection.progress(of: streams).makeAsyncIterator()
            #expect(await former.next() == nil)
            #expect(try await reports.required().sent == 0)
            let later = StreamProgress(sent: 8, received: 5, transport: "l2cap", isWaiting: true)
            await daemon.tell(StreamProgress(sent: 7, received: 7, transport: "tcp", isWaiting: false), of: "other")
            await daemon.tell(later, of: "s1")
            #expect(try await reports.required() == later)
            await daemon.endStream("s1", error: "gone")
            #expect(await reports.next() == nil)
            // Streams that have ended have no further reports.
            for await _ in try await connection.progress(of: streams) {}
            close(streams.descriptor)
            close(end)
            withExtendedLifetime(activity) {}
        }
    }

    @Test("Streams that nobody takes are closed")
    func untakenStreamsAreClosed() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let (app, activity) = try await publish(on: connection, takes: false)
            let end = try await daemon.openStreams("s1", to: "a1", device: "bb")
            let count = await withCheckedContinuation { waiting in
                Thread.detachNewThread {
                    var byte: UInt8 = 0
                    waiting.resume(returning: read(end, &byte, 1))
                }
            }
            #expect(count == 0)
            close(end)
            withExtendedLifetime((app, activity)) {}
        }
    }

    @Test("Streams to an activity that no longer exists are abandoned")
    func streamsToNoActivity() async throws {
        try await FakeDaemon.withConnection { daemon, connection in
            let activity = UserActivity(activityType: "t", host: connection)
            var events = connection.events(of: activity).makeAsyncIterator()
            activity.becomeCurrent()
            _ = try await events.required()
            let end = try await daemon.openStreams("s1", to: "another", device: "bb")
            var cancelled = daemon.cancelled.makeAsyncIterator()
            #expect(try await cancelled.required() == "s1")
            close(end)
            withExtendedLifetime(activity) {}
        }
    }

    @Test("Streams that are gone before they are taken cause a warning, and the activity stays")
    func streamsGoneBeforeTaken() async throws {
        try await FakeDaemon.with { daemon, bus in
            let (warnings, warning) = AsyncStream.makeStream(of: String.self)
            let connection = try await BatonConnection.open(address: bus.address) { warning.yield($0) }
            let (app, activity) = try await publish(on: connection)
            await daemon.tellOfStreams("s1", to: "a1", device: "bb", called: "sofa")
            var texts = warnings.makeAsyncIterator()
            let text = try await texts.required()
            #expect(text == "streams from sofa could not be taken: they had ended, or waited too long")
            // The next streams still arrive.
            let end = try await daemon.openStreams("s2", to: "a1", device: "bb")
            var arrivals = app.streams.makeAsyncIterator()
            let streams = try await arrivals.required()
            #expect(streams.identifier == "s2")
            close(streams.descriptor)
            close(end)
            withExtendedLifetime(activity) {}
            await connection.close()
        }
    }
}
