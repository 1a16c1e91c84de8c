// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import UserActivity

@testable import Baton

/// What streams keep does not depend on how much they carry. By itself: it counts what the whole
/// process has.
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

    /// The tests' main thread serves the main queue, and never runs its run loop.
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
            // Now and then each is taken before the next comes; else they come faster than they are
            // taken.
            if round.isMultiple(of: 100) { await heard.next() }
        }
        // Those of other tests' streams are few.
        #expect(StreamEvents.TimerCount.living.load(ordering: .relaxed) - before < 100)
        events.stop()
        withExtendedLifetime(stream) {}
    }

    /// What an app keeps of a conversation costs what was said.
    @Test("A short piece of a stream keeps no more memory than its own")
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

/// What malloc has given away at an address.
@_silgen_name("malloc_usable_size")
private func usableSize(_ block: UnsafeRawPointer?) -> Int
