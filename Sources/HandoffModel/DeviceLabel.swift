// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel

/// What a device is called where people read it, and not by which program finds it.
///
/// A device chooses its name, and may choose another's. Where a name could mean two devices, the
/// id stands beside it: `desk (0a1b2c3d)`.
public enum DeviceLabel {
    /// The text for one device.
    ///
    /// - Parameters:
    ///   - name: The name that it signed.
    ///   - device: Its id.
    ///   - others: The names of the circle's other devices.
    public static func text(_ name: String, device: String, among others: some Sequence<String>) -> String {
        let seen = seen(name)
        return isLikeID(name) || others.contains { Self.seen($0) == seen } ? "\(name) (\(device))" : name
    }

    /// What a reader sees of a name at a glance: capitals, spaces and what shows nothing tell no
    /// two devices apart.
    private static func seen(_ name: String) -> String { VisibleText.shown(name).lowercased() }

    /// Whether a name is, or ends with, what could be read as an id.
    private static func isLikeID(_ name: String) -> Bool {
        let end = name.reversed().drop { !$0.isLetter && !$0.isNumber }.prefix { $0.isLetter || $0.isNumber }
        return String(end.reversed()).lowercased().isDeviceID
    }
}
