// SPDX-License-Identifier: Apache-2.0

import BatonLoopback
import Foundation
import Synchronization
import UserActivity

/// A delegate that takes its activity's streams.
final class StreamKeeper: UserActivityDelegate, Sendable {
    let pairs: AsyncStream<ContinuationPair>
    private let sink: AsyncStream<ContinuationPair>.Continuation

    init() { (pairs, sink) = AsyncStream.makeStream(of: ContinuationPair.self) }

    func userActivity(
        _ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream
    ) {
        // The delegate keeps no other reference to the streams.
        nonisolated(unsafe) let (input, output) = (inputStream, outputStream)
        sink.yield(ContinuationPair(input: input, output: output))
    }
}

/// Runs a closure with two connected pairs of streams: the origin's and the continuing app's.
func withStreams(
    _ body: (_ origin: ContinuationPair, _ continuing: ContinuationPair) async throws -> Void
) async throws {
    let loopback = Loopback()
    let (desk, sofa) = (loopback.app("desk"), loopback.app("sofa"))
    let activity = UserActivity(activityType: "org.example.streams", host: desk)
    let keeper = StreamKeeper()
    activity.supportsContinuationStreams = true
    activity.delegate = keeper
    activity.becomeCurrent()
    let continuation = try await sofa.continueOffer(await sofa.offer(ofType: "org.example.streams"))
    let continuing = try await continuation.activity.continuationPair()
    var pairs = keeper.pairs.makeAsyncIterator()
    let origin = try await pairs.required()
    try await body(origin, continuing)
    activity.invalidate()
}

/// Threads with run loops of their own, on which streams are scheduled.
enum LoopThread {
    /// Runs a closure on a new thread, whose run loop runs until `finish` was called.
    ///
    /// The closure's result is kept until then.
    static func run<Value: Sendable>(
        _ begin: @escaping @Sendable (_ finish: @escaping @Sendable (Value) -> Void) -> AnyObject
    ) async -> Value {
        await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                let result = Box<Value>()
                let keeper = begin { value in result.value.withLock { $0 = value } }
                // As on Apple's systems, the call returns after each event.
                while result.value.withLock({ $0 == nil }) {
                    _ = RunLoop.current.run(mode: .default, before: .distantFuture)
                }
                withExtendedLifetime(keeper) {}
                if let value = result.value.withLock({ $0 }) { waiting.resume(returning: value) }
            }
        }
    }
}

private final class Box<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
