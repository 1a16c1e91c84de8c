// SPDX-License-Identifier: GPL-3.0-or-later

/// The names of BlueZ's D-Bus API that this module uses. Source: BlueZ, `doc/org.bluez.*.rst`.
enum BlueZ {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let monitor = "org.bluez.AdvertisementMonitor1"
    static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let peer = "org.freedesktop.DBus.Peer"
    static let properties = "org.freedesktop.DBus.Properties"

    /// Returns the path that bluetoothd gives to a device of an adapter.
    static func devicePath(adapter: String, octets: String) -> String {
        adapter + "/dev_" + octets.map { $0 == ":" ? "_" : String($0) }.joined()
    }

    /// Returns the adapter's path and the device's address that form a device's path.
    static func device(atPath path: String) -> (adapter: String, octets: String)? {
        guard let slash = path.lastIndex(of: "/"), path[slash...].hasPrefix("/dev_") else { return nil }
        let octets = String(path[slash...].dropFirst("/dev_".count).map { $0 == "_" ? ":" : $0 })
        return (String(path[..<slash]), octets)
    }
}
