// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SwiftProtobuf

/// A signed, permanent statement about the members of a circle.
///
/// The body is stored byte for byte as it was signed. Source: `Documentation/Protocol/Circle.md`,
/// "Statements".
public struct Statement: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The signer adds a device or names itself.
        ///
        /// Among several names that a device gave itself, the one with the highest revision
        /// counts.
        case add(Member, KeyProof, revision: UInt32)
        /// The signer removes a device, and keeps the devices in `stays` in the circle.
        case remove(DeviceID, stays: Set<DeviceID>)
    }

    let body: [UInt8]
    let signature: [UInt8]
    let signer: DeviceID
    let kind: Kind

    static let maximumAddLength = 1_024
    /// The maximum length of a removal, which names every device that stays.
    static let maximumRemoveLength = 4_608
    private static let label = Array("baton statement 1".utf8)

    /// Creates a statement by which `signer` adds a device.
    ///
    /// - Parameter proof: The added device's proof for this circle.
    init(
        adding member: Member, proof: KeyProof, to circle: CircleID, by signer: DeviceIdentity, revision: UInt32 = 0
    ) throws {
        var add = WireAdd()
        add.keys = member.keys.message
        add.name = member.name
        add.revision = revision
        add.proof = proof.message
        try self.init(.add(add), .add(member, proof, revision: revision), circle, signer)
    }

    /// Creates a statement by which a device names itself.
    init(naming identity: DeviceIdentity, _ name: String, in circle: CircleID, revision: UInt32 = 0) throws {
        let proof = try KeyProof(of: identity, in: circle)
        let member = try Member(keys: identity.keys, name: name)
        try self.init(adding: member, proof: proof, to: circle, by: identity, revision: revision)
    }

    /// Creates a statement by which `signer` removes a device, possibly itself.
    ///
    /// - Parameter stays: All devices that the signer keeps.
    init(removing gone: DeviceID, stays: Set<DeviceID>, from circle: CircleID, by signer: DeviceIdentity) throws {
        var remove = WireRemove()
        remove.gone = Data(gone.bytes)
        remove.stays = stays.sorted().map { Data($0.bytes) }
        try self.init(.remove(remove), .remove(gone, stays: stays), circle, signer)
    }

    private init(
        _ wire: WireStatementBody.OneOf_Kind, _ kind: Kind, _ circle: CircleID, _ signer: DeviceIdentity
    ) throws {
        var message = WireStatementBody()
        message.signer = Data(signer.id.bytes)
        message.kind = wire
        body = Array(try message.serializedData() as Data)
        signature = try signer.signature(for: Self.label + circle.bytes + body)
        self.signer = signer.id
        self.kind = kind
    }

    /// Reads a received statement without checking its signature.
    ///
    /// ``isSigned(with:in:)`` checks the signature once the signer's key is known, and
    /// ``isProved(in:)`` the added device's proof.
    init(_ message: WireStatement) throws {
        guard message.body.count <= Self.maximumRemoveLength, message.signature.count == 64,
            let body = try? WireStatementBody(serializedBytes: message.body),
            let signer = DeviceID(bytes: body.signer)
        else { throw CircleError.malformed("statement") }
        switch body.kind {
        case .add(let add):
            guard message.body.count <= Self.maximumAddLength else { throw CircleError.malformed("statement") }
            let member = try Member(keys: DeviceKeys(add.keys), name: add.name)
            kind = .add(member, try KeyProof(add.proof), revision: add.revision)
        case .remove(let remove):
            let stays = remove.stays.compactMap { DeviceID(bytes: $0) }
            guard let gone = DeviceID(bytes: remove.gone), stays.count == remove.stays.count,
                stays.count <= Roster.maximumMembers
            else { throw CircleError.malformed("statement") }
            kind = .remove(gone, stays: Set(stays))
        case nil: throw CircleError.malformed("statement")
        }
        self.body = Array(message.body)
        signature = Array(message.signature)
        self.signer = signer
    }

    /// The device that the statement adds, or nil.
    var added: Member? {
        if case .add(let member, _, _) = kind { member } else { nil }
    }

    /// Whether the statement is an Add by which the signer names itself.
    var isOwnNaming: Bool { added?.keys.id == signer }

    var revision: UInt32 {
        if case .add(_, _, let revision) = kind { revision } else { 0 }
    }

    var isRemoval: Bool { added == nil }

    func isSigned(with keys: DeviceKeys, in circle: CircleID) -> Bool {
        keys.id == signer && keys.isSignature(signature, of: Self.label + circle.bytes + body)
    }

    /// Returns whether the added device has proved that it holds its keys. Returns true for a
    /// removal.
    func isProved(in circle: CircleID) -> Bool {
        guard case .add(let member, let proof, _) = kind else { return true }
        return proof.holds(for: member.keys, in: circle)
    }

    /// Returns whether this statement takes precedence over another one that names the same device.
    func isPreferred(to other: Statement) -> Bool {
        if isOwnNaming != other.isOwnNaming { return isOwnNaming }
        if isOwnNaming, revision != other.revision { return revision > other.revision }
        if body != other.body { return body.lexicographicallyPrecedes(other.body) }
        return signature.lexicographicallyPrecedes(other.signature)
    }

    /// Compares bodies and signatures only, because the body determines the rest.
    public static func == (one: Statement, other: Statement) -> Bool {
        one.signature == other.signature && one.body == other.body
    }

    /// Hashes only the signature, because no two bodies have the same signature.
    public func hash(into hasher: inout Hasher) { hasher.combine(signature) }

    var message: WireStatement {
        var message = WireStatement()
        message.body = Data(body)
        message.signature = Data(signature)
        return message
    }
}

/// A device that belongs to a circle, and its name.
public struct Member: Hashable, Sendable {
    /// The device's public keys.
    public let keys: DeviceKeys
    /// The name that the user gave the device: 1 to 63 UTF-8 bytes that are safe to show.
    public let name: String

    /// The maximum length of a name, in UTF-8 bytes.
    public static let maximumNameLength = DeviceName.maximumLength

    /// Creates a device with a name.
    ///
    /// - Throws: ``CircleError`` for a name that is empty, too long or not safe to show.
    public init(keys: DeviceKeys, name: String) throws {
        guard Self.isValidName(name) else { throw CircleError.malformed("device name") }
        self.keys = keys
        self.name = name
    }

    /// Returns whether a name is safe to show.
    public static func isValidName(_ name: String) -> Bool { DeviceName.isValid(name) }

    /// Returns whether a user may choose a name for this device.
    ///
    /// The name must be valid and not look like an id. The name must not begin with a combining
    /// mark or have spaces at its ends. The names of other devices only have to be valid.
    public static func mayBeChosen(asName name: String) -> Bool { DeviceName.mayBeChosen(name) }
}
