// SPDX-License-Identifier: GPL-3.0-or-later

/// The format of Baton's advertisements, and the limits for remembering other devices'
/// advertisements.
extension BlueZ {
    /// The company identifier in Baton's manufacturer data. Baton has no assigned number, so it
    /// uses the number that is reserved for tests.
    static let company: UInt16 = 0xFFFF
    /// The largest size of the manufacturer data's value, in bytes: the size of a sealed beacon.
    ///
    /// Together with flags and headers, such a value fills the 31 bytes of a legacy advertisement.
    static let payloadLimit = 24
    /// The AD type of manufacturer data. Source: Assigned Numbers, 2.3.
    static let manufacturerDataType: UInt8 = 0xFF
    /// The largest number of advertisers remembered at a time.
    static let peerLimit = 1_024

    /// How long an advertiser may be silent before it counts as lost.
    ///
    /// This is a little more than bluetoothd's own 30 s, which are three scan windows of 10 s.
    static let silenceLimit = Duration.seconds(35)
}
