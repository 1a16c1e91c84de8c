// SPDX-License-Identifier: Apache-2.0

import Crypto
import Diagnosis
import FoundationEssentials
import SwiftProtobuf

/// Everything that a device must remember across restarts: keys, name, circle and beacon sequence.
public struct DeviceState: Sendable {
    /// The private keys.
    public private(set) var identity: DeviceIdentity
    /// The device's name.
    public var name: String
    /// The device's circle, or nil.
    public var circle: Circle?
    /// The highest sequence number that may have been used in a beacon.
    public var sequenceReserved: UInt32
    /// The members that are known to have this device's state of the circle.
    public var acknowledged: Set<DeviceID> = []
    /// The Unix time of the last contact with a member, by this device's clock; 0 for never.
    public var inTouch: Int64 = 0
    /// Whether this device left its last circle because another device removed it.
    public var wasRemoved = false
    /// The known local networks, and the members that were met in them.
    public var networks = KnownNetworks()
    /// The name of the device that removed this one; nil if unknown.
    public private(set) var removedBy: String?
    /// A circle of ``unprovedVersion``, which has no effect, but is stored until the user leaves
    /// it.
    private var unprovedCircle: WireCircleState?

    /// The format version that this code writes.
    public static let version: UInt32 = 2
    /// The former format version. Devices in its circles have not proved their keys.
    ///
    /// A file with such a circle keeps this version.
    static let unprovedVersion: UInt32 = 1
    /// The maximum size of a file, in bytes.
    public static let maximumEncodedLength = 1_024 * 1_024

    private static let magic = Array("BATON STATE\n".utf8)

    /// Creates the state of a new device.
    public init(identity: DeviceIdentity, name: String) {
        self.identity = identity
        self.name = name
        circle = nil
        sequenceReserved = 0
    }

    /// Whether there is a circle whose devices did not prove their keys.
    ///
    /// An earlier version of Baton made this circle. The user must leave the circle, and create a
    /// new one.
    public var isCircleUnproved: Bool { unprovedCircle != nil }

    /// Reads a file's bytes: a magic line, the SHA-256 of the rest, and the rest.
    ///
    /// - Throws: ``CircleError/Code/malformed`` when the bytes are damaged or of an unknown
    ///   version.
    public init(encoded: [UInt8]) throws {
        let head = Self.magic.count + SHA256.byteCount
        guard encoded.count > head, encoded.count <= Self.maximumEncodedLength, encoded.starts(with: Self.magic) else {
            throw CircleError.stateFile("it is not one of Baton's")
        }
        let payload = encoded[head...]
        guard Array(SHA256.hash(data: payload)) == Array(encoded[Self.magic.count..<head]),
            let message = try? WireDeviceState(serializedBytes: Array(payload))
        else { throw CircleError.stateFile("its contents are damaged") }
        guard message.version == Self.version || message.version == Self.unprovedVersion else {
            throw CircleError.stateFile(
                "it was written by another version of Baton (format \(message.version))",
                Reason(.stateOfOtherVersion, ["format": .count(Int(message.version))]))
        }
        guard
            let certificateKey = try? P256.Signing.PrivateKey(rawRepresentation: message.certificatePrivateKey),
            let signingKey = try? Curve25519.Signing.PrivateKey(rawRepresentation: message.signingPrivateKey),
            let agreementKey = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: message.agreementPrivateKey),
            Member.isValidName(message.name)
        else { throw CircleError.stateFile("its keys are damaged") }
        identity = DeviceIdentity(
            certificateKey: certificateKey, signingKey: signingKey, agreementKey: agreementKey)
        name = message.name
        let isProved = message.version == Self.version
        circle = message.hasCircle && isProved ? try Circle(message.circle) : nil
        unprovedCircle = message.hasCircle && !isProved ? message.circle : nil
        sequenceReserved = message.sequenceReserved
        acknowledged = Set(message.acknowledged.compactMap { DeviceID(bytes: $0) })
        inTouch = message.inTouch
        wasRemoved = message.wasRemoved
        networks = KnownNetworks(key: message.networkKey, message.networks)
        removedBy = Member.isValidName(message.removedBy) ? message.removedBy : nil
    }

    /// Signs this device's name in its circle, if it has no signed name there.
    ///
    /// A name is unsigned if an earlier version of Baton added the device. The name stays unsigned
    /// if another statement does not fit into the circle.
    public mutating func signName() {
        guard var named = circle else { return }
        do { try named.sign(name: name, by: identity) } catch { return }
        guard named != circle else { return }
        circle = named
        acknowledged = []
    }

    /// Forgets this device's circle, and gives the device new keys.
    ///
    /// The device needs new keys, because a device that was removed can never be in the circle
    /// again with the same keys.
    ///
    /// - Parameters:
    ///   - isRemoval: Whether another device removed this one.
    ///   - name: The name of the device that removed this one; nil if it is unknown.
    ///   - new: The device's new keys.
    public mutating func leaveCircle(
        isRemoval: Bool, by name: String? = nil, as new: DeviceIdentity = DeviceIdentity()
    ) {
        identity = new
        circle = nil
        unprovedCircle = nil
        acknowledged = []
        inTouch = 0
        wasRemoved = isRemoval
        removedBy = name
        networks = KnownNetworks()
    }

    /// Returns the bytes of the file.
    public func encoded() throws -> [UInt8] {
        try encoded(version: isCircleUnproved ? Self.unprovedVersion : Self.version)
    }

    /// Returns the bytes in a version of the format.
    ///
    /// Except for a circle of ``unprovedVersion``, only tests use a version other than ``version``.
    func encoded(version: UInt32) throws -> [UInt8] {
        var message = WireDeviceState()
        message.version = version
        message.certificatePrivateKey = identity.certificateKey.rawRepresentation
        message.signingPrivateKey = identity.signingKey.rawRepresentation
        message.agreementPrivateKey = identity.agreementKey.rawRepresentation
        message.name = name
        if let wire = circle?.message ?? unprovedCircle { message.circle = wire }
        message.sequenceReserved = sequenceReserved
        message.acknowledged = acknowledged.sorted().map { Data($0.bytes) }
        message.inTouch = inTouch
        message.wasRemoved = wasRemoved
        message.removedBy = removedBy ?? ""
        // Without networks, the key has not identified any network, and the next start may choose
        // another key.
        if networks.count > 0 { message.networkKey = Data(networks.key) }
        message.networks = networks.messages
        let payload = Array(try message.serializedData() as Data)
        return Self.magic + Array(SHA256.hash(data: payload)) + payload
    }
}
