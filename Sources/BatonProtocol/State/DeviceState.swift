// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftProtobuf

/// All that a device must remember, as one value: its keys, its name, its circle, and how far its
/// beacon's sequence is spent.
public struct DeviceState: Sendable {
    /// The private keys.
    public private(set) var identity: DeviceIdentity
    /// What this device is called.
    public var name: String
    /// The circle that it belongs to, if any.
    public var circle: Circle?
    /// Sequence numbers up to and including this one may have been used.
    public var sequenceReserved: UInt32
    /// The members that are known to know the circle as it is here.
    public var acknowledged: Set<DeviceID> = []
    /// The Unix second at which a member was last in touch, by this device's clock; 0 for never.
    public var inTouch: Int64 = 0
    /// Whether the last circle's end was a removal by another device.
    public var wasRemoved = false
    /// What the device was called that removed this one; nil when that is not known.
    public private(set) var removedBy: String?
    /// A circle of ``unprovedVersion``, which means nothing here; it is kept as it was until the
    /// user leaves it.
    private var unprovedCircle: WireCircleState?

    /// The version of the format that this code writes.
    public static let version: UInt32 = 2
    /// The version before, whose circles hold devices that have not proved their keys. A file with
    /// such a circle stays in this version.
    static let unprovedVersion: UInt32 = 1
    /// The largest file that is read, in bytes.
    public static let maximumEncodedLength = 1_024 * 1_024

    private static let magic = Array("BATON STATE\n".utf8)

    /// A new device.
    public init(identity: DeviceIdentity, name: String) {
        self.identity = identity
        self.name = name
        circle = nil
        sequenceReserved = 0
    }

    /// Whether there is a circle that an earlier version of Baton made: its devices have not proved
    /// their keys, so it is to be left, and made anew.
    public var isCircleUnproved: Bool { unprovedCircle != nil }

    /// The state in a file's bytes: a magic line, SHA-256 of the rest, and the rest.
    ///
    /// - Throws: ``CircleError/Code/malformed`` when the bytes are not whole or of a newer version.
    public init(encoded: [UInt8]) throws {
        let head = Self.magic.count + SHA256.byteCount
        guard encoded.count > head, encoded.count <= Self.maximumEncodedLength, encoded.starts(with: Self.magic) else {
            throw CircleError.malformed("state file: it is not one of Baton's")
        }
        let payload = encoded[head...]
        guard Array(SHA256.hash(data: payload)) == Array(encoded[Self.magic.count..<head]),
            let message = try? WireDeviceState(serializedBytes: Array(payload))
        else { throw CircleError.malformed("state file: its contents are damaged") }
        guard message.version == Self.version || message.version == Self.unprovedVersion else {
            throw CircleError.malformed(
                "state file: it was written by another version of Baton (format \(message.version))")
        }
        guard
            let certificateKey = try? P256.Signing.PrivateKey(rawRepresentation: message.certificatePrivateKey),
            let signingKey = try? Curve25519.Signing.PrivateKey(rawRepresentation: message.signingPrivateKey),
            let agreementKey = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: message.agreementPrivateKey),
            Member.isValidName(message.name)
        else { throw CircleError.malformed("state file: its keys are damaged") }
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
        removedBy = Member.isValidName(message.removedBy) ? message.removedBy : nil
    }

    /// Has this device sign its name in its circle, if it has not: it was taken in by a Baton of
    /// before, or is one's heir. Where the circle has no room for that, the name stays unsigned.
    public mutating func signName() {
        guard var named = circle else { return }
        do { try named.sign(name: name, by: identity) } catch { return }
        guard named != circle else { return }
        circle = named
        acknowledged = []
    }

    /// Ends this device's part in its circle. Its keys end with it: those of a removed device never
    /// return.
    ///
    /// - Parameters:
    ///   - isRemoval: Whether another device willed it.
    ///   - name: What that device is called, when it is known.
    ///   - new: The keys that this device has from now on.
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
    }

    /// The bytes to keep.
    public func encoded() throws -> [UInt8] {
        try encoded(version: isCircleUnproved ? Self.unprovedVersion : Self.version)
    }

    /// The bytes of a version of the format; of another than ``version`` for tests alone.
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
        let payload = Array(try message.serializedData() as Data)
        return Self.magic + Array(SHA256.hash(data: payload)) + payload
    }
}
