// SPDX-License-Identifier: Apache-2.0

/// The limits of ``OfferBook``.
public enum OfferLimits {
    /// The maximum number of devices.
    public static let devices = 128
    /// The maximum number of addresses of a device.
    public static let addresses = 8
    /// The maximum number of remembered hashes that one device named: as many as fit into a hello.
    public static let namedActivities = Hello.maximumTypes
    /// The maximum number of remembered types that other devices named. The types of this device's
    /// apps and of present offers are remembered in addition.
    public static let types = 1_024
    /// How long a device's sequence number is remembered after its last beacon.
    public static let sequenceMemory = Duration.seconds(1_800)
    /// The longest time without a beacon before an offer is withdrawn.
    ///
    /// Most radios report a lost device earlier (BlueZ after 35 s, `BlueZ.silenceLimit`).
    public static let confirmation = Duration.seconds(1_200)
    /// The smallest change of a signal that is reported, in dB.
    public static let signalStep = 5
    /// The shortest time between two reports of a device's signal.
    public static let signalInterval = Duration.seconds(1)
    /// How long the address in use is kept after it was last heard, if another address is heard.
    public static let addressPatience = Duration.seconds(10)
}
