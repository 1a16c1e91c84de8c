// SPDX-License-Identifier: Apache-2.0

/// How far the bytes of a channel have come, as far as its transport can tell.
///
/// It is about the two systems, not about the apps. An app that reads slowly changes nothing here.
public struct ChannelDelivery: Hashable, Sendable {
    /// Whether bytes wait until the other system confirms them, or until the medium takes them.
    public var isWaiting: Bool
    /// The time since the other system last confirmed something, or the medium last took something.
    public var silence: Duration
    /// How long bytes may wait in silence before the channel counts as stalled.
    public var patience: Duration

    /// Creates a report.
    public init(isWaiting: Bool, silence: Duration, patience: Duration) {
        self.isWaiting = isWaiting
        self.silence = silence
        self.patience = patience
    }
}
