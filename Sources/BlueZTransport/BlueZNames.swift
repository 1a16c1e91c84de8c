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
    static let properties = "org.freedesktop.DBus.Properties"

    /// The company identifier of Baton's manufacturer data: the one that is reserved for tests, for
    /// want of an assigned number.
    static let company: UInt16 = 0xFFFF
    /// The longest value of the manufacturer data: with flags and headers it fills the 31 bytes of
    /// a legacy advertisement.
    static let payloadLimit = 24
    /// The AD type of manufacturer data. Source: Assigned Numbers, 2.3.
    static let manufacturerDataType: UInt8 = 0xFF
    /// How many advertisers are remembered at a time.
    static let peerLimit = 1_024

    /// How long an advertiser may be silent before it counts as lost: a little more than
    /// bluetoothd's own 30 s, three scan windows of 10 s.
    static let silenceLimit = Duration.seconds(35)

    /// The path that bluetoothd gives to a device of an adapter.
    static func devicePath(adapter: String, octets: String) -> String {
        adapter + "/dev_" + octets.map { $0 == ":" ? "_" : String($0) }.joined()
    }
}
