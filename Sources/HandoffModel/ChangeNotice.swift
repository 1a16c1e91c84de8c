// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Notifies one consumer that something may have changed. Many changes become one notice.
///
/// While the consumer does not want notices, changes do not wake it.
public final class ChangeNotice: Sendable {
    /// The notices, for one consumer.
    public let notices: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation
    private let wanted = Atomic(false)

    /// Creates an instance whose consumer does not want notices yet.
    public init() { (notices, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Sends a notice that something may have changed.
    public func note() { if wanted.load(ordering: .relaxed) { sink.yield() } }

    /// Sets whether the consumer wants notices.
    public func want(_ isWanted: Bool) { wanted.store(isWanted, ordering: .relaxed) }
}
