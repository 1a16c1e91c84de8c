// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Dials that are not wanted any more, and are closed once the peer has had time to answer.
///
/// To close one that waits for the answer tells the peer nothing: it would keep a channel that
/// nobody has, and refuse the next dial for having the same channel id.
final class AbandonedDials: Sendable {
    /// How many may wait; beyond that they are closed at once.
    static let limit = 128

    private let patience: Duration
    private let waiting = Atomic(0)

    /// Nothing waits yet.
    ///
    /// - Parameter patience: How long a peer may take to answer.
    init(patience: Duration = .seconds(2)) { self.patience = patience }

    /// How many wait to be closed.
    var count: Int { waiting.load(ordering: .relaxed) }

    /// Takes a descriptor over, and closes it in time.
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
