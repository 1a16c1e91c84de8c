// SPDX-License-Identifier: GPL-3.0-or-later

/// The BlueZ version of a bluetoothd.
struct BluetoothdVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    let major: UInt8
    let minor: UInt8

    init(_ major: UInt8, _ minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// Reads the version from an adapter's `Modalias`: `usb:v1D6Bp0246d0542` is 5.66.
    ///
    /// Returns `nil` if the administrator has set another identity (`DeviceID` in main.conf), which
    /// does not contain the version. Source: BlueZ, `init_defaults()` in `src/main.c`.
    init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        guard modalias.hasPrefix(prefix) else { return nil }
        let digits = modalias.dropFirst(prefix.count)
        guard digits.count == 4, digits.allSatisfy(\.isHexDigit), let number = UInt16(digits, radix: 16) else {
            return nil
        }
        self.init(UInt8(number >> 8), UInt8(truncatingIfNeeded: number))
    }

    var description: String { "\(major).\(minor)" }

    static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }

    /// The oldest version that Baton supports, which is the version in Debian 12.
    static let oldest = Self(5, 66)
    /// The first version that opens only one ATT channel by default. Source: BlueZ, ab3ff0d2.
    static let oneChannel = Self(5, 67)
    /// The first version that respects an advertisement's interval without `--experimental`.
    static let heedsInterval = Self(5, 77)

    /// Whether monitors of this version find manufacturer data, of which Baton's advertisements
    /// consist.
    ///
    /// Versions 5.69 and 5.70 search for patterns that never occur. Source: BlueZ, bc2ab4ba and
    /// b0656c2c; seen in the lab.
    var findsManufacturerData: Bool { !(Self(5, 69)...Self(5, 70)).contains(self) }
}
