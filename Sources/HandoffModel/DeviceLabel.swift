// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel

/// Creates the text that shows a device to people. Programs must not look devices up by this text.
///
/// A device chooses its name, and may choose another device's name. If a name could mean two
/// devices, the label contains the id: `desk (0a1b2c3d)`.
public enum DeviceLabel {
    /// Returns the label of a device.
    ///
    /// - Parameters:
    ///   - name: The device's own, signed name.
    ///   - device: The device's id.
    ///   - others: The names of the circle's other devices.
    public static func text(_ name: String, device: String, among others: some Sequence<String>) -> String {
        let seen = seen(name)
        return isLikeID(name) || others.contains { Self.seen($0) == seen } ? "\(name) (\(device))" : name
    }

    /// Returns a name in a form that is the same for names that look alike.
    ///
    /// Differences in case and invisible characters do not count.
    private static func seen(_ name: String) -> String { VisibleText.shown(name).lowercased() }

    /// Returns whether a name is or ends with text that looks like an id.
    private static func isLikeID(_ name: String) -> Bool {
        let end = name.reversed().drop { !$0.isLetter && !$0.isNumber }.prefix { $0.isLetter || $0.isNumber }
        return String(end.reversed()).lowercased().isDeviceID
    }
}
