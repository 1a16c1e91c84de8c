// SPDX-License-Identifier: Apache-2.0

/// Decides which of two channels between two devices stays, for example after both dialled at once.
public enum DuplicateChannels {
    /// One of two channels between the same devices.
    public enum Survivor: Hashable, Sendable {
        /// The channel that was opened first.
        case older
        /// The channel that was opened later.
        case newer
    }

    /// Returns the channel that stays.
    ///
    /// This side drains the other channel with ``Goodbye/Reason/duplicate``.
    ///
    /// If each device dialled one, the channel that the device with the smaller id dialled stays.
    /// Both sides come to the same result. If one device dialled both, it keeps the newer channel,
    /// because it would not have dialled again if the older one were still useful. The other device
    /// leaves the choice to the device that dialled, because the two channels may have arrived in
    /// another order.
    ///
    /// - Parameters:
    ///   - older: The id of the device that dialled the older channel, 32 bytes.
    ///   - newer: The id of the device that dialled the newer channel, 32 bytes.
    ///   - local: This device's id, 32 bytes.
    /// - Returns: `nil` if both stay until the peer drains one.
    public static func survivor(dialledBy older: [UInt8], _ newer: [UInt8], local: [UInt8]) -> Survivor? {
        guard older != newer else { return older == local ? .newer : nil }
        return older.lexicographicallyPrecedes(newer) ? .older : .newer
    }
}
