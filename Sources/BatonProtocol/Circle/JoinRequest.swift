// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SwiftProtobuf

/// A new device's request to join a circle, sent inside TLS.
///
/// The request contains the device's name and public keys, and a proof that the device holds the
/// private keys. The inviter copies this proof into its Add. The request also contains a name that
/// the device has signed, so that no other member can name the device. TLS proves that the device
/// is present, and the knock proves that it has the invitation's secret. Source:
/// `Documentation/Protocol/Circle.md`, "Joining".
public struct JoinRequest: Hashable, Sendable {
    /// The device that wants to join.
    public let member: Member
    /// The circle that it wants to join.
    public let circle: CircleID
    let proof: KeyProof
    /// The Add by which the device names itself; nil in requests from earlier versions of Baton.
    let naming: Statement?

    /// Creates this device's own request.
    public init(_ identity: DeviceIdentity, name: String, circle: CircleID) throws {
        member = try Member(keys: identity.keys, name: name)
        proof = try KeyProof(of: identity, in: circle)
        naming = try Statement(adding: member, proof: proof, to: circle, by: identity)
        self.circle = circle
    }

    /// Reads a received request.
    ///
    /// - Throws: ``CircleError`` when the request is malformed, does not prove its keys, or
    ///   contains a name that another device signed.
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

    /// Returns the encoded request.
    public func encoded() throws -> [UInt8] {
        var message = WireJoinRequest()
        message.keys = member.keys.message
        message.name = member.name
        message.proof = proof.message
        if let naming { message.naming = naming.message }
        return Array(try message.serializedData() as Data)
    }
}
