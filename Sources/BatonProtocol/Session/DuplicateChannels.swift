// SPDX-License-Identifier: Apache-2.0

/// Two devices that dial each other at once have two channels, and need to agree which one stays.
public enum DuplicateChannels {
    /// One of two channels between the same devices.
    public enum Survivor: Hashable, Sendable {
        /// The channel that was there before.
        case older
        /// The channel that came later.
        case newer
    }

    /// Which of two channels stays; this side drains the other with ``Goodbye/Reason/duplicate``.
    ///
    /// The one dialled by the smaller device stays, which both sides see alike. If one device
    /// dialled both, it keeps the newer, since it would not have dialled again with the older still
    /// of use to it; the other device leaves the choice to it, because it may have seen them come
    /// in another order.
    ///
    /// - Parameters:
    ///   - older: The device id of who dialled the older channel, 32 bytes.
    ///   - newer: The device id of who dialled the newer channel, 32 bytes.
    ///   - local: This device's id, 32 bytes.
    /// - Returns: `nil` when both stay until the peer drains one.
    public static func survivor(dialledBy older: [UInt8], _ newer: [UInt8], local: [UInt8]) -> Survivor? {
        guard older != newer else { return older == local ? .newer : nil }
        return older.lexicographicallyPrecedes(newer) ? .older : .newer
    }
}
