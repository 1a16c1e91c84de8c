// SPDX-License-Identifier: Apache-2.0

/// The limits of ``OfferBook``.
public enum OfferLimits {
    /// Devices that are listened to.
    public static let devices = 128
    /// Addresses remembered for a device.
    public static let addresses = 8
    /// Activity hashes remembered that a device has named: as many as a hello can name.
    public static let namedActivities = Hello.maximumTypes
    /// Entries remembered of the types that devices told; those of this device's apps, and those on
    /// offer now, do not count.
    public static let types = 1_024
    /// A sequence is forgotten when its device has not been heard for so long.
    public static let sequenceMemory = Duration.seconds(1_800)
    /// An offer is withdrawn when no beacon has confirmed it for so long, at the latest: most
    /// radios say sooner that its device is lost (on BlueZ after 35 s, `BlueZ.silenceLimit`).
    public static let confirmation = Duration.seconds(1_200)
    /// The smallest change of signal that is told, in dBm.
    public static let signalStep = 5
    /// The shortest time between two changes of signal that are told.
    public static let signalInterval = Duration.seconds(1)
    /// How long the address in use is kept although another one was heard later.
    public static let addressPatience = Duration.seconds(10)
}
