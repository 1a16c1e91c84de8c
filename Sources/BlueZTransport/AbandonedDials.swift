// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Closes the file descriptors of unneeded dials after the peer has had time to answer.
///
/// When a socket is closed while it still waits for the answer, the kernel sends nothing to the
/// peer. The peer would then keep a channel that has no other end, and refuse the next dial, which
/// uses the same channel id.
final class AbandonedDials: Sendable {
    /// The largest number of dials that may wait. Further dials are closed at once.
    static let limit = 128

    private let patience: Duration
    private let waiting = Atomic(0)

    /// Creates an instance that holds no dials.
    ///
    /// - Parameter patience: How long a peer may take to answer.
    init(patience: Duration = .seconds(2)) { self.patience = patience }

    /// The number of dials that wait to be closed.
    var count: Int { waiting.load(ordering: .relaxed) }

    /// Takes ownership of a file descriptor, and closes it once the peer has answered, or once the
    /// peer's time to answer has passed.
    func take(_ descriptor: CInt, watchedBy watcher: DescriptorWatcher) {
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= Self.limit else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            return ChannelCloser.close(descriptor)
        }
        Task {
            try? await watcher.wait(for: .writable, on: descriptor, until: .now + patience)
            ChannelCloser.close(descriptor)
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
    }
}
