// SPDX-License-Identifier: Apache-2.0

/// What a device says of itself to its circle, by radio (Documentation/Protocol/Beacon.md).
///
/// The 15 bytes that are written here are sealed: ``BeaconCipher`` makes the 24 of them that are
/// advertised, and the radio puts its header before those (`BlueZ.company`).
public struct Beacon: Hashable, Sendable {
    /// Bytes in a sealed beacon.
    public static let byteCount = 24
    /// Bytes in what is sealed.
    static let plaintextByteCount = 15
    /// The only version there is.
    static let version: UInt8 = 1

    /// The first 4 bytes of the device's id, unique in the circle.
    public var device: UInt32
    /// The current activity, or ``ActivityHash/none``.
    public var activity: ActivityHash
    /// What there is beside the activity.
    public var flags: BeaconFlags
    /// Higher whenever any other field differs; never goes back.
    public var sequence: UInt32
    /// The LE PSM (0x80 to 0xFF) that accepts channels, or 0 for none.
    public var psm: UInt8

    /// A beacon of a device.
    public init(device: UInt32, activity: ActivityHash, flags: BeaconFlags, sequence: UInt32, psm: UInt8) {
        self.device = device
        self.activity = activity
        self.flags = flags
        self.sequence = sequence
        self.psm = psm
    }

    /// The activity that the beacon offers: `nil` when there is none, when it is over, or when the
    /// device is only reachable.
    public var offered: ActivityHash? {
        activity != .none && flags.isDisjoint(with: [.ended, .idle]) ? activity : nil
    }

    /// Writes the 15 bytes that are sealed at an offset.
    func write(into bytes: inout [UInt8], at offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: device >> (24 - 8 * index))
            bytes[offset + 10 + index] = UInt8(truncatingIfNeeded: sequence >> (24 - 8 * index))
        }
        bytes.replaceSubrange((offset + 4)..<(offset + 9), with: activity.bytes)
        bytes[offset + 9] = flags.rawValue
        bytes[offset + 14] = psm
    }

    /// Reads what ``write(into:at:)`` wrote; flags that this version does not know are dropped.
    init(reading bytes: [UInt8], at offset: Int) {
        func number(_ start: Int) -> UInt32 {
            bytes[(offset + start)..<(offset + start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        device = number(0)
        activity = ActivityHash(bytes, at: offset + 4)
        flags = BeaconFlags(rawValue: bytes[offset + 9]).intersection(.known)
        sequence = number(10)
        psm = bytes[offset + 14]
    }
}

/// The flags of a ``Beacon``. Senders leave bits that are not named here zero; receivers ignore
/// them.
public struct BeaconFlags: OptionSet, Hashable, Sendable {
    /// The byte in the beacon.
    public let rawValue: UInt8

    /// Flags from a byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The activity has a web page, which a device without the app can open.
    public static let hasWebpage = BeaconFlags(rawValue: 0x01)
    /// The activity takes continuation streams.
    public static let supportsStreams = BeaconFlags(rawValue: 0x02)
    /// The activity is over: its offer is withdrawn at once.
    public static let ended = BeaconFlags(rawValue: 0x04)
    /// There is no activity; the device only wants to be reachable.
    public static let idle = BeaconFlags(rawValue: 0x08)

    static let known: BeaconFlags = [.hasWebpage, .supportsStreams, .ended, .idle]
}
