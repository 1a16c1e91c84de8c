// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf

/// One person's devices, and the secret that their beacons share.
public struct Circle: Hashable, Sendable {
    /// Who belongs to it.
    public private(set) var roster: Roster
    /// The secret under which beacons are made and opened.
    public private(set) var secret: CircleSecret
    private var record: SecretRecord

    /// The longest encoding that is looked at, in bytes.
    public static let maximumEncodedLength = 256 * 1_024

    /// A new circle with one device.
    public init(foundedBy identity: DeviceIdentity, name: String) throws {
        roster = try Roster(foundedBy: identity, name: name)
        secret = CircleSecret()
        record = try SecretRecord(number: 1, secret: secret, circle: roster.circle, signer: identity)
    }

    /// A circle as a member told it, inside TLS.
    ///
    /// - Throws: ``CircleError`` when anything in it does not hold.
    public init(encoded: [UInt8]) throws {
        guard encoded.count <= Self.maximumEncodedLength,
            let message = try? WireCircleState(serializedBytes: encoded)
        else { throw CircleError.malformed("circle") }
        try self.init(message)
    }

    init(_ message: WireCircleState) throws {
        guard let id = CircleID(bytes: message.circle), let secret = CircleSecret(bytes: Array(message.secret)) else {
            throw CircleError.malformed("circle")
        }
        roster = try Roster(circle: id, statements: message.statements.map(Statement.init))
        self.secret = secret
        record = try SecretRecord(message.record)
        guard record.isUsable(for: secret, in: roster) else {
            throw CircleError.untrusted("the circle's secret is not vouched for by a member")
        }
    }

    /// Which circle it is.
    public var id: CircleID { roster.circle }

    /// What a member may be told, inside TLS only: it holds the secret.
    public func encoded() throws -> [UInt8] { Array(try message.serializedData() as Data) }

    var message: WireCircleState {
        var message = WireCircleState()
        message.circle = Data(id.bytes)
        message.statements = roster.statements.map(\.message).sorted { $0.body.lexicographicallyPrecedes($1.body) }
        message.record = record.message
        message.secret = Data(secret.secretBytes)
        return message
    }

    /// Takes a device in.
    ///
    /// - Throws: ``CircleError``, with nothing changed, when `identity` is not a member or a limit is reached.
    public mutating func add(_ member: Member, by identity: DeviceIdentity) throws {
        guard roster.members[identity.id] != nil else { throw CircleError.untrusted("only a member takes a device in") }
        var grown = self
        try grown.roster.merge([Statement(adding: member, to: id, by: identity)])
        try grown.checkLength()
        self = grown
    }

    /// Takes in what another member knows.
    ///
    /// - Returns: whether anything changed.
    /// - Throws: ``CircleError``, with nothing changed, when it is about another circle or breaks a limit.
    public mutating func merge(_ other: Circle) throws -> Bool {
        guard other.id == id else { throw CircleError.untrusted("that is another circle") }
        var merged = self
        var changed = try merged.roster.merge(Array(other.roster.statements))
        if other.record.isPreferred(to: record), other.record.isUsable(for: other.secret, in: merged.roster) {
            (merged.secret, merged.record) = (other.secret, other.record)
            changed = true
        }
        guard changed else { return false }
        try merged.checkLength()
        self = merged
        return true
    }

    /// A circle that grew beyond what members look at could be told to nobody any more.
    private func checkLength() throws {
        guard try encoded().count <= Self.maximumEncodedLength else {
            throw CircleError.limitReached("a circle has at most \(Self.maximumEncodedLength) bytes")
        }
    }
}
