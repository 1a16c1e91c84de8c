// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SwiftProtobuf

/// What a device that joins says of itself, inside TLS: its name, its keys, the proof that it holds
/// them, which whoever takes it in puts into the Add, and a naming that it has signed, so that no
/// other member can name it.
///
/// TLS shows besides that it is there now, and the knock that it holds the invitation's secret.
/// Source: `Documentation/Protocol/Circle.md`, "Joining".
public struct JoinRequest: Hashable, Sendable {
    /// The device that wants to join.
    public let member: Member
    /// The circle that it wants to join.
    public let circle: CircleID
    let proof: KeyProof
    /// The device's own Add; nil from a Baton of before, which sent none.
    let naming: Statement?

    /// A request by a device of its own.
    public init(_ identity: DeviceIdentity, name: String, circle: CircleID) throws {
        member = try Member(keys: identity.keys, name: name)
        proof = try KeyProof(of: identity, in: circle)
        naming = try Statement(adding: member, proof: proof, to: circle, by: identity)
        self.circle = circle
    }

    /// A request as received.
    ///
    /// - Throws: ``CircleError`` when it is malformed, does not prove the keys that it names, or
    ///   has a naming that is not the device's own.
    public init(encoded: [UInt8], circle: CircleID) throws {
        guard encoded.count <= 1_024, let message = try? WireJoinRequest(serializedBytes: encoded) else {
            throw CircleError.malformed("request to join")
        }
        member = try Member(keys: DeviceKeys(message.keys), name: message.name)
        proof = try KeyProof(message.proof)
        naming = message.hasNaming ? try Statement(message.naming) : nil
        self.circle = circle
        guard proof.holds(for: member.keys, in: circle) else {
            throw CircleError.untrusted("the request to join does not prove the keys that it names")
        }
        guard let naming else { return }
        guard naming.isOwnNaming, naming.added == member, naming.isSigned(with: member.keys, in: circle),
            naming.isProved(in: circle)
        else { throw CircleError.untrusted("the request to join has a naming that is not the device's own") }
    }

    /// The form that travels.
    public func encoded() throws -> [UInt8] {
        var message = WireJoinRequest()
        message.keys = member.keys.message
        message.name = member.name
        message.proof = proof.message
        if let naming { message.naming = naming.message }
        return Array(try message.serializedData() as Data)
    }
}
