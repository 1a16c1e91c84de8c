// SPDX-License-Identifier: Apache-2.0

import CGtk

/// The desktop's programs for settings and for software.
@MainActor
package enum DesktopSettings {
    /// The desktop entries that show the Bluetooth settings.
    private static let bluetooth = [
        "gnome-bluetooth-panel.desktop", "kcm_bluetooth.desktop", "cinnamon-settings-bluetooth.desktop",
        "blueman-manager.desktop", "blueberry.desktop",
    ]

    /// Opens the Bluetooth settings.
    ///
    /// - Returns: Whether a program for these settings is installed and was started.
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

    /// Makes the desktop's program for software install a package. That program asks the user
    /// first.
    ///
    /// Source: PackageKit, session interface `org.freedesktop.PackageKit.Modify2`.
    ///
    /// - Parameter failed: Called if this desktop has no such program.
    package static func install(_ package: String, failed: @escaping @MainActor () -> Void) {
        guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { return failed() }
        defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
        var packages: [OpaquePointer?] = [g_variant_new_string(package)]
        var arguments: [OpaquePointer?] = [
            g_variant_new_array(nil, &packages, 1), g_variant_new_string("show-confirm-search"),
            g_variant_new_string(""), cgtk_empty_properties(),
        ]
        let name = "org.freedesktop.PackageKit"
        // Wait without a limit, because the user may take a long time.
        g_dbus_connection_call(
            bus, name, "/org/freedesktop/PackageKit", "\(name).Modify2", "InstallPackageNames",
            g_variant_new_tuple(&arguments, gsize(arguments.count)), nil, G_DBUS_CALL_FLAGS_NONE, Int32.max, nil,
            { source, result, data in
                guard let data else { return }
                let failed = KeptClosure.take(data)
                var error: UnsafeMutablePointer<GError>?
                let answer = g_dbus_connection_call_finish(OpaquePointer(source), result, &error)
                if let answer { g_variant_unref(answer) }
                guard let error else { return }
                defer { g_error_free(error) }
                // The program for software shows other errors itself.
                let unknown = [G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_OBJECT]
                guard unknown.contains(where: { g_error_matches(error, g_dbus_error_quark(), Int32($0.rawValue)) != 0 })
                else { return }
                MainActor.assumeIsolated { failed.body() }
            }, KeptClosure(failed).retained)
    }
}
