// SPDX-License-Identifier: Apache-2.0

import CGtk

/// The settings programs of desktops.
@MainActor
package enum DesktopSettings {
    /// The desktop entries that show the settings of Bluetooth: GNOME's, Plasma's, and two programs
    /// for other desktops.
    private static let bluetooth = [
        "gnome-bluetooth-panel.desktop", "kcm_bluetooth.desktop", "cinnamon-settings-bluetooth.desktop",
        "blueman-manager.desktop", "blueberry.desktop",
    ]

    /// Opens the settings of Bluetooth.
    ///
    /// - Returns: Whether a program for them is installed and was started.
    package static func openBluetooth() -> Bool {
        let entries = g_app_info_get_all()
        defer { g_list_free_full(entries) { g_object_unref($0) } }
        var node = entries
        while let each = node {
            node = each.pointee.next
            let entry = OpaquePointer(each.pointee.data)
            guard let id = g_app_info_get_id(entry), bluetooth.contains(String(cString: id)) else { continue }
            if g_app_info_launch(entry, nil, nil, nil) != 0 { return true }
        }
        return false
    }
}
