// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf

/// What a device that redeems an invitation says of itself, inside TLS: its keys and its name.
///
/// The signature shows that it holds the signing key; TLS shows that it holds the certificate key, and the knock that it holds
/// the invitation's secret. Source: `Documentation/Protocol/Circle.md`, "Joining".
public struct JoinRequest: Hashable, Sendable {
    /// The device that wants to join.
    public let member: Member
    private let signature: [UInt8]

    private static let label = Array("baton join 1".utf8)

    /// A request by a device of its own.
    public init(_ identity: DeviceIdentity, name: String, circle: CircleID) throws {
        member = try Member(keys: identity.keys, name: name)
        signature = try identity.signature(for: Self.label + circle.bytes + identity.id.bytes)
    }

    /// A request as received.
    ///
    /// - Throws: ``CircleError`` when it is malformed, or not signed by the keys that it names.
    public init(encoded: [UInt8], circle: CircleID) throws {
        guard encoded.count <= 1_024, let message = try? WireJoinRequest(serializedBytes: encoded) else {
            throw CircleError.malformed("request to join")
        }
        member = try Member(keys: DeviceKeys(message.keys), name: message.name)
        signature = Array(message.signature)
        guard member.keys.isSignature(signature, of: Self.label + circle.bytes + member.keys.id.bytes) else {
            throw CircleError.untrusted("the request to join is not signed by its device")
        }
    }

    /// The form that travels.
    public func encoded() throws -> [UInt8] {
        var message = WireJoinRequest()
        message.keys = member.keys.message
        message.name = member.name
        message.signature = Data(signature)
        return Array(try message.serializedData() as Data)
    }
}
