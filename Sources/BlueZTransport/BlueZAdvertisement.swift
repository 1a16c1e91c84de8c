// SPDX-License-Identifier: GPL-3.0-or-later

/// What an advertisement of ours has, how many are kept in mind, and for how long.
extension BlueZ {
    /// The company identifier of Baton's manufacturer data: the one that is reserved for tests, for
    /// want of an assigned number.
    static let company: UInt16 = 0xFFFF
    /// The longest value of the manufacturer data, as long as a sealed beacon: with flags and
    /// headers it fills the 31 bytes of a legacy advertisement.
    static let payloadLimit = 24
    /// The AD type of manufacturer data. Source: Assigned Numbers, 2.3.
    static let manufacturerDataType: UInt8 = 0xFF
    /// How many advertisers are remembered at a time.
    static let peerLimit = 1_024

    /// How long an advertiser may be silent before it counts as lost: a little more than
    /// bluetoothd's own 30 s, three scan windows of 10 s.
    static let silenceLimit = Duration.seconds(35)
}
