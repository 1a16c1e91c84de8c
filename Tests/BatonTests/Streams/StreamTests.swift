// SPDX-License-Identifier: Apache-2.0

import Baton
import Foundation
import Testing
import UserActivity

/// Reads everything, using events only.
private final class Reader: NSObject, StreamDelegate {
    var data = Data()
    var events: [Stream.Event] = []
    let finish: (([Stream.Event], Data)) -> Void

    init(_ finish: @escaping (([Stream.Event], Data)) -> Void) { self.finish = finish }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        events.append(eventCode)
        switch eventCode {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 5_000)
            let count = (aStream as? InputStream)?.read(&buffer, maxLength: buffer.count) ?? -1
            if count > 0 { data.append(buffer, count: count) }
        case .endEncountered, .errorOccurred: finish((events, data))
        default: break
        }
    }
}

/// Writes everything, using events only.
private final class Writer: NSObject, StreamDelegate {
    var rest: Data
    var events: [Stream.Event] = []
    let finish: ([Stream.Event]) -> Void

    init(_ data: Data, _ finish: @escaping ([Stream.Event]) -> Void) {
        rest = data
        self.finish = finish
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        events.append(eventCode)
        switch eventCode {
        case .hasSpaceAvailable:
            let count = (aStream as? OutputStream)?.write([UInt8](rest), maxLength: rest.count) ?? -1
            if count > 0 { rest = rest.dropFirst(count) }
        case .endEncountered, .errorOccurred: finish(events)
        default: break
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private static let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    @Test("A large stream is transferred on threads with run loops of their own")
    func largeStreamOnThreads() async throws {
        try await withStreams { origin, continuing in
            async let written: [Stream.Event] = LoopThread.run { finish in
                let writer = Writer(Self.large) { finish($0) }
                origin.output.delegate = writer
                origin.output.schedule(in: .current, forMode: .default)
                origin.output.open()
                return writer
            }
            let (events, data): ([Stream.Event], Data) = await LoopThread.run { finish in
                let reader = Reader { finish($0) }
                continuing.input.delegate = reader
                continuing.input.schedule(in: .current, forMode: .default)
                continuing.input.open()
                return reader
            }
            #expect(data == Self.large)
            #expect(events.first == .openCompleted)
            #expect(events.last == .endEncountered)
            // The data exceeds the socket's buffer, so it was written in parts.
            #expect(await written.filter { $0 == .hasSpaceAvailable }.count > 2)
            #expect(await written.last == .endEncountered)
        }
    }

    @Test("Streams arrive unopened, and cannot be used before they are opened")
    func streamsArriveUnopened() async throws {
        try await withStreams { origin, continuing in
            #expect(origin.output.streamStatus == .notOpen)
            #expect(continuing.input.streamStatus == .notOpen)
            #expect(origin.output.write([1], maxLength: 1) == -1)
            var byte: UInt8 = 0
            #expect(continuing.input.read(&byte, maxLength: 1) == -1)
            #expect(!origin.output.hasSpaceAvailable)
        }
    }

    @Test("A read without an event listener waits, and a stream at its end stays open until it is closed")
    func readWaitsWithoutListener() async throws {
        try await withStreams { origin, continuing in
            origin.output.open()
            continuing.input.open()
            #expect(!continuing.input.hasBytesAvailable)
            #expect(origin.output.write([1, 2, 3], maxLength: 3) == 3)
            #expect(continuing.input.hasBytesAvailable)
            var buffer = [UInt8](repeating: 0, count: 8)
            #expect(continuing.input.read(&buffer, maxLength: 8) == 3)
            #expect(origin.output.write([], maxLength: 0) == 0)
            #expect(origin.output.streamStatus == .atEnd)
            #expect(origin.output.write([4], maxLength: 1) == -1)
            #expect(continuing.input.read(&buffer, maxLength: 8) == 0)
            #expect(continuing.input.streamStatus == .atEnd)
            continuing.input.close()
            #expect(continuing.input.streamStatus == .closed)
            #expect(continuing.input.read(&buffer, maxLength: 8) == -1)
        }
    }

    @Test("Both directions work at the same time, and one may end before the other")
    func bothDirectionsWorkAtOnce() async throws {
        try await withStreams { origin, continuing in
            for (here, there) in [(origin, continuing), (continuing, origin)] {
                here.output.open()
                there.input.open()
            }
            var byte: UInt8 = 0
            #expect(continuing.output.write([7], maxLength: 1) == 1)
            #expect(origin.input.read(&byte, maxLength: 1) == 1)
            #expect(origin.output.write([byte + 1], maxLength: 1) == 1)
            #expect(continuing.input.read(&byte, maxLength: 1) == 1)
            #expect(byte == 8)
            // Half-closed: the answer may follow the end of the question.
            continuing.output.close()
            #expect(origin.input.read(&byte, maxLength: 1) == 0)
            #expect(origin.output.write([9], maxLength: 1) == 1)
            origin.output.close()
            #expect(continuing.input.read(&byte, maxLength: 1) == 1)
            #expect(continuing.input.read(&byte, maxLength: 1) == 0)
        }
    }

    @Test("A direction that is never opened blocks nothing")
    func unopenedDirection() async throws {
        try await withStreams { origin, continuing in
            let sending = try ContinuationChannel(continuing)
            let before = origin.input
            // The origin never opens its input, and releases it.
            before.close()
            try await sending.writer.write(Self.large)
            sending.writer.finish()
            origin.output.open()
            #expect(origin.output.write([1], maxLength: 1) == 1)
            origin.output.close()
            #expect(try await sending.bytes.collect(upTo: 10) == Data([1]))
        }
    }

    @Test("Closing a stream halfway through reading fails the writer")
    func closedHalfway() async throws {
        try await withStreams { origin, continuing in
            let events: [Stream.Event] = await LoopThread.run { finish in
                let writer = Writer(Self.large + Self.large) { finish($0) }
                origin.output.delegate = writer
                origin.output.schedule(in: .current, forMode: .default)
                origin.output.open()
                // The other side reads a little, then stops.
                continuing.input.open()
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 100)
                    _ = continuing.input.read(&buffer, maxLength: 100)
                    continuing.output.close()
                    continuing.input.close()
                }
                return writer
            }
            #expect(events.last == .errorOccurred)
            #expect(origin.output.streamStatus == .error)
            #expect((origin.output.streamError as? CocoaError)?.code == .userActivityConnectionUnavailable)
            #expect(origin.output.write([1], maxLength: 1) == -1)
        }
    }

    @Test("The async form transfers the same bytes")
    func asyncFormCarriesTheSame() async throws {
        try await withStreams { origin, continuing in
            let (near, far) = (try ContinuationChannel(origin), try ContinuationChannel(continuing))
            async let sent: Void = {
                try await near.writer.write(Self.large)
                near.writer.finish()
            }()
            #expect(try await far.bytes.collect(upTo: Self.large.count) == Self.large)
            try await sent
            await #expect(throws: CocoaError.self) { try await near.writer.write(Data([1])) }
        }
    }

    @Test("An async read ends when its task is cancelled")
    func asyncReadEndsWithItsTask() async throws {
        try await withStreams { _, continuing in
            let channel = try ContinuationChannel(continuing)
            let reading = Task {
                var iterator = channel.bytes.makeAsyncIterator()
                return try await iterator.next()
            }
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }
        }
    }

    @Test("Collecting more bytes than the limit fails")
    func collectingTooMuch() async throws {
        try await withStreams { origin, continuing in
            let (near, far) = (try ContinuationChannel(origin), try ContinuationChannel(continuing))
            try await near.writer.write(Data(count: 11))
            near.writer.finish()
            await #expect(throws: CocoaError.self) { try await far.bytes.collect(upTo: 10) }
        }
    }
}
