// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import UserActivity

@testable import Baton

/// Tests that the memory of streams does not depend on how many bytes they carry.
///
/// The tests run alone, because they count the whole process's memory.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LongStreamTests {
    private final class Ready: InputStream, EventfulStream {
        func eventOfReadiness() -> Stream.Event? { .hasBytesAvailable }
    }

    private final class Listener: NSObject, StreamDelegate {
        let heard: AsyncStream<Void>
        private let hear: AsyncStream<Void>.Continuation
        override init() { (heard, hear) = AsyncStream.makeStream() }
        func stream(_ aStream: Stream, handle eventCode: Stream.Event) { hear.yield() }
    }

    /// The tests' main thread serves the main queue, but never runs its run loop.
    @Test("Events in a run loop that never runs leave nothing behind")
    func loopThatNeverRuns() async {
        let before = StreamEvents.TimerCount.living.load(ordering: .relaxed)
        let (events, stream, listener) = (StreamEvents(), Ready(data: Data()), Listener())
        events.belong(to: stream)
        events.delegate = listener
        events.schedule(in: .main, mode: .default)
        var heard = listener.heard.makeAsyncIterator()
        for round in 1...100_000 {
            events.becameReady()
            // Run the loop from time to time, because events arrive faster than it handles them.
            if round.isMultiple(of: 100) { await heard.next() }
        }
        // The count includes other tests' streams, which have only a few timers.
        #expect(StreamEvents.TimerCount.living.load(ordering: .relaxed) - before < 100)
        events.stop()
        withExtendedLifetime(stream) {}
    }

    /// A kept piece uses only the memory for its own bytes.
    @Test("A short piece of a stream uses only the memory that its own bytes need")
    func shortPiece() async throws {
        try await withStreams { origin, continuing in
            let (near, far) = (try ContinuationChannel(origin), try ContinuationChannel(continuing))
            var pieces: [Data] = []
            var incoming = far.bytes.makeAsyncIterator()
            for _ in 0..<20_000 {
                try await near.writer.write(Data(repeating: 7, count: 40))
                pieces.append(try #require(try await incoming.next()))
            }
            let kept = pieces.reduce(0) { sum, piece in
                sum + piece.withUnsafeBytes { usableSize($0.baseAddress) }
            }
            #expect(pieces.allSatisfy { $0.count == 40 })
            #expect(kept < 20_000 * 128)
        }
    }
}

/// Returns the size of malloc's block at an address.
@_silgen_name("malloc_usable_size")
private func usableSize(_ block: UnsafeRawPointer?) -> Int
