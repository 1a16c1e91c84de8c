// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel

/// An item that an app with an adapter has open and that is not offered, with the reason.
///
/// Only the user of this device sees the item.
public struct WithheldItem: Hashable, Sendable {
    /// The maximum length of a name, in bytes.
    ///
    /// A name is often a file name, in which replaced characters may take more bytes.
    public static let maximumName = 1_024
    /// The maximum length of a reason, in bytes.
    public static let maximumReason = 1_024

    /// The item's name in one line, such as a file name.
    public let name: String
    /// The reason in one line: a clause for people.
    public let reason: String

    /// Creates an item. Invisible characters in the texts become spaces.
    ///
    /// - Returns: Nil if a text is empty or too long.
    public init?(name: String, reason: String) {
        guard (1...Self.maximumName).contains(name.utf8.count),
            (1...Self.maximumReason).contains(reason.utf8.count)
        else { return nil }
        self.name = VisibleText.replacing(name) { _ in " " }
        self.reason = VisibleText.replacing(reason) { _ in " " }
    }
}
