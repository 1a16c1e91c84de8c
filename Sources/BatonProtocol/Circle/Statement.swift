// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SwiftProtobuf

/// A signed, permanent sentence about who belongs to a circle.
///
/// The body is kept as it was signed, byte for byte. Source: `Documentation/Protocol/Circle.md`,
/// "Statements".
public struct Statement: Hashable, Sendable {
    /// What a statement says.
    enum Kind: Hashable, Sendable {
        /// The signer takes a device in, or names itself; of its own namings the highest revision
        /// counts.
        case add(Member, KeyProof, revision: UInt32)
        /// The signer removes a device; `stays` are all that it keeps.
        case remove(DeviceID, stays: Set<DeviceID>)
    }

    let body: [UInt8]
    let signature: [UInt8]
    let signer: DeviceID
    let kind: Kind

    static let maximumAddLength = 1_024
    /// A removal names every device that stays.
    static let maximumRemoveLength = 4_608
    private static let label = Array("baton statement 1".utf8)

    /// Device `signer` takes a device in.
    ///
    /// - Parameter proof: Made by that device, for this circle.
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

    /// A device names itself.
    init(naming identity: DeviceIdentity, _ name: String, in circle: CircleID, revision: UInt32 = 0) throws {
        let proof = try KeyProof(of: identity, in: circle)
        let member = try Member(keys: identity.keys, name: name)
        try self.init(adding: member, proof: proof, to: circle, by: identity, revision: revision)
    }

    /// Device `signer` removes a device, which may be itself.
    ///
    /// - Parameter stays: Every device that the signer keeps.
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

    /// A statement as received; its signature is judged by ``isSigned(with:in:)``, once the
    /// signer's key is known, and who is taken in by ``isProved(in:)``.
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

    /// The device that the statement takes in, if it does that.
    var added: Member? {
        if case .add(let member, _, _) = kind { member } else { nil }
    }

    /// Whether a device names itself.
    var isOwnNaming: Bool { added?.keys.id == signer }

    var revision: UInt32 {
        if case .add(_, _, let revision) = kind { revision } else { 0 }
    }

    var isRemoval: Bool { added == nil }

    func isSigned(with keys: DeviceKeys, in circle: CircleID) -> Bool {
        keys.id == signer && keys.isSignature(signature, of: Self.label + circle.bytes + body)
    }

    /// Whether the device that it takes in, if it does that, has shown that its keys are its own.
    func isProved(in circle: CircleID) -> Bool {
        guard case .add(let member, let proof, _) = kind else { return true }
        return proof.holds(for: member.keys, in: circle)
    }

    /// Of two namings of one device: whether this one counts.
    func isPreferred(to other: Statement) -> Bool {
        if isOwnNaming != other.isOwnNaming { return isOwnNaming }
        if isOwnNaming, revision != other.revision { return revision > other.revision }
        if body != other.body { return body.lexicographicallyPrecedes(other.body) }
        return signature.lexicographicallyPrecedes(other.signature)
    }

    /// What it says follows from its body.
    public static func == (one: Statement, other: Statement) -> Bool {
        one.signature == other.signature && one.body == other.body
    }

    /// No two bodies have one signature.
    public func hash(into hasher: inout Hasher) { hasher.combine(signature) }

    var message: WireStatement {
        var message = WireStatement()
        message.body = Data(body)
        message.signature = Data(signature)
        return message
    }
}

/// A device that belongs to a circle, with its name.
public struct Member: Hashable, Sendable {
    /// Its public keys.
    public let keys: DeviceKeys
    /// What its user calls it: 1 to 63 UTF-8 bytes that may be shown as they are.
    public let name: String

    /// The longest name, in UTF-8 bytes.
    public static let maximumNameLength = DeviceName.maximumLength

    /// A device with a name.
    ///
    /// - Throws: ``CircleError`` for a name that is empty, too long or has control characters.
    public init(keys: DeviceKeys, name: String) throws {
        guard Self.isValidName(name) else { throw CircleError.malformed("device name") }
        self.keys = keys
        self.name = name
    }

    /// Whether a name may be shown as it is.
    public static func isValidName(_ name: String) -> Bool { DeviceName.isValid(name) }

    /// Whether a user may call this device so: a valid name that is no id, without spaces at its
    /// ends. Other devices may have any valid name.
    public static func mayBeChosen(asName name: String) -> Bool { DeviceName.mayBeChosen(name) }
}
