// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel

/// What the user has open in an app that an adapter speaks for, and why it is not offered.
///
/// It is shown to the user of this device, and to nobody else.
public struct WithheldItem: Hashable, Sendable {
    /// The longest name, in bytes: that of a file, whose bytes may have been repaired.
    public static let maximumName = 1_024
    /// The longest reason, in bytes.
    public static let maximumReason = 1_024

    /// What it is called, such as a file's name, in one line.
    public let name: String
    /// Why it is not offered: a clause for people, in one line.
    public let reason: String

    /// What is not offered; controls in the texts become spaces.
    ///
    /// - Returns: Nil for a text that is empty or too long.
    public init?(name: String, reason: String) {
        guard (1...Self.maximumName).contains(name.utf8.count),
            (1...Self.maximumReason).contains(reason.utf8.count)
        else { return nil }
        self.name = VisibleText.replacing(name) { _ in " " }
        self.reason = VisibleText.replacing(reason) { _ in " " }
    }
}
