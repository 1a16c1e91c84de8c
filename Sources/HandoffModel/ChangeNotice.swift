// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Says that something may have changed. Many changes become one notice.
///
/// Nobody is woken while no one wants the notices.
public final class ChangeNotice: Sendable {
    /// The notices, for one consumer.
    public let notices: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation
    private let wanted = Atomic(false)

    /// Creates a notice that nobody wants yet.
    public init() { (notices, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Records a change that may be one.
    public func note() { if wanted.load(ordering: .relaxed) { sink.yield() } }

    /// Sets whether somebody wants the notices.
    public func want(_ isWanted: Bool) { wanted.store(isWanted, ordering: .relaxed) }
}
