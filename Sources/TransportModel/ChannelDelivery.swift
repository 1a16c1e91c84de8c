// SPDX-License-Identifier: Apache-2.0

/// A transport's report on whether the bytes of a channel are delivered.
///
/// The report is about the two systems, not about the apps. An app that reads slowly does not
/// affect the report.
public struct ChannelDelivery: Hashable, Sendable {
    /// Whether bytes wait until the other system confirms them, or until the medium takes them.
    public var isWaiting: Bool
    /// The time since the other system last confirmed bytes, or the medium last took bytes.
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
