// SPDX-License-Identifier: Apache-2.0

/// The data that a device broadcasts to its circle, by radio (Documentation/Protocol/Beacon.md) or
/// in a local network (Documentation/Protocol/Datagram.md).
///
/// The beacon's 15 bytes are sealed: ``BeaconCipher`` turns them into the 24 bytes that are
/// advertised. The radio puts its own header (`BlueZ.company`) in front of them. ``BeaconForm``
/// lists the differences of datagrams.
public struct Beacon: Hashable, Sendable {
    /// The length of a sealed beacon, in bytes.
    public static let byteCount = 24
    /// The length of the plaintext, in bytes.
    static let plaintextByteCount = 15
    /// The only version of the format.
    static let version: UInt8 = 1

    /// The first 4 bytes of the device's id, which are unique in the circle.
    public var device: UInt32
    /// The current activity, or ``ActivityHash/none``.
    public var activity: ActivityHash
    /// Facts about the activity and the device.
    public var flags: BeaconFlags
    /// A number that grows whenever another field changes, and never decreases.
    public var sequence: UInt32
    /// The LE PSM (0x80 to 0xFF) that accepts channels; 0 for none.
    public var psm: UInt8
    /// The TCP port that accepts channels, only in datagrams; 0 for none.
    public var port: UInt16 = 0

    /// Creates a device's beacon for advertisements.
    public init(device: UInt32, activity: ActivityHash, flags: BeaconFlags, sequence: UInt32, psm: UInt8) {
        self.device = device
        self.activity = activity
        self.flags = flags
        self.sequence = sequence
        self.psm = psm
    }

    /// Creates a device's beacon for datagrams.
    public init(device: UInt32, port: UInt16) {
        self.init(device: device, activity: .none, flags: [], sequence: 0, psm: 0)
        self.port = port
    }

    /// The activity that the beacon offers.
    ///
    /// The value is `nil` if there is no activity, if the activity has ended, or if the device only
    /// wants to be reachable.
    public var offered: ActivityHash? {
        activity != .none && flags.isDisjoint(with: [.ended, .idle]) ? activity : nil
    }

    /// Writes the plaintext at an offset: 15 bytes, or the 16 of a datagram.
    func write(into bytes: inout [UInt8], at offset: Int, as form: BeaconForm = .advertisement) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: device >> (24 - 8 * index))
            bytes[offset + 10 + index] = UInt8(truncatingIfNeeded: sequence >> (24 - 8 * index))
        }
        bytes.replaceSubrange((offset + 4)..<(offset + 9), with: activity.bytes)
        bytes[offset + 9] = flags.rawValue
        switch form {
        case .advertisement: bytes[offset + 14] = psm
        case .datagram:
            bytes[offset + 14] = UInt8(port >> 8)
            bytes[offset + 15] = UInt8(port & 0xFF)
        }
    }

    /// Reads the plaintext at an offset, and drops flags that this version does not know. For a
    /// datagram, reads only the device and the port.
    init(reading bytes: [UInt8], at offset: Int, as form: BeaconForm = .advertisement) {
        func number(_ start: Int) -> UInt32 {
            bytes[(offset + start)..<(offset + start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        switch form {
        case .advertisement:
            self.init(
                device: number(0), activity: ActivityHash(bytes, at: offset + 4),
                flags: BeaconFlags(rawValue: bytes[offset + 9]).intersection(.known), sequence: number(10),
                psm: bytes[offset + 14])
        case .datagram:
            self.init(device: number(0), port: UInt16(bytes[offset + 14]) << 8 | UInt16(bytes[offset + 15]))
        }
    }
}

/// The flags of a ``Beacon``. Senders set unknown bits to zero, and receivers ignore them.
public struct BeaconFlags: OptionSet, Hashable, Sendable {
    /// The byte in the beacon.
    public let rawValue: UInt8

    /// Creates flags from a byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The activity has a web page, which a device without the app can open.
    public static let hasWebpage = BeaconFlags(rawValue: 0x01)
    /// The activity supports continuation streams.
    public static let supportsStreams = BeaconFlags(rawValue: 0x02)
    /// The activity has ended. Receivers withdraw its offer at once.
    public static let ended = BeaconFlags(rawValue: 0x04)
    /// There is no activity. The device only wants to be reachable.
    public static let idle = BeaconFlags(rawValue: 0x08)

    static let known: BeaconFlags = [.hasWebpage, .supportsStreams, .ended, .idle]
}
