// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import FoundationEssentials
import SwiftProtobuf

/// One person's devices, and the secret that their beacons share.
public struct Circle: Hashable, Sendable {
    /// The members and the statements about them.
    public private(set) var roster: Roster
    /// The secret that seals and opens beacons.
    public private(set) var secret: CircleSecret
    private var record: SecretRecord

    /// The maximum length of an encoded circle, in bytes.
    ///
    /// The limit is the maximum length of a roster plus room for the other data.
    public static let maximumEncodedLength = Roster.maximumLengthWithRemovals + 1_024

    /// Founds a circle with one device.
    public init(foundedBy identity: DeviceIdentity, name: String) throws {
        roster = try Roster(foundedBy: identity, name: name)
        secret = CircleSecret()
        record = try SecretRecord(after: 0, secret: secret, in: roster, signer: identity)
    }

    /// Reads a circle that was stored, or that a member sent inside TLS.
    ///
    /// - Throws: ``CircleError`` when the bytes are malformed, the founder's statement is missing,
    ///   a limit is exceeded, or no member vouches for the secret.
    public init(encoded: [UInt8]) throws { try self.init(CircleNews(encoded: encoded)) }

    init(_ message: WireCircleState) throws { try self.init(CircleNews(message)) }

    private init(_ news: CircleNews) throws {
        roster = try Roster(circle: news.circle, statements: news.statements)
        secret = news.secret
        record = news.record
        guard record.isUsable(for: secret, in: roster) else {
            throw CircleError.untrusted("the circle's secret is not vouched for by a member")
        }
    }

    /// The circle's id.
    public var id: CircleID { roster.circle }

    /// Returns the encoded circle for members.
    ///
    /// Send it inside TLS only, because it contains the secret.
    public func encoded() throws -> [UInt8] { Array(try message.serializedData() as Data) }

    var message: WireCircleState {
        var message = WireCircleState()
        message.circle = Data(id.bytes)
        message.statements = roster.statements.map(\.message).sorted { $0.body.lexicographicallyPrecedes($1.body) }
        message.record = record.message
        message.secret = Data(secret.secretBytes)
        return message
    }

    /// Returns the message for a device that was removed, to send inside TLS.
    ///
    /// The message contains only the removal that names the device. Zeros replace the secret and
    /// its record.
    ///
    /// - Returns: Nil if no other device has removed the device by name.
    public func farewell(to device: DeviceID) throws -> [UInt8]? {
        guard let removal = roster.removal(of: device), removal.signer != device else { return nil }
        var message = WireCircleState()
        message.circle = Data(id.bytes)
        message.statements = [removal.message]
        message.record.removalsDigest = Data(count: 32)
        message.record.secretDigest = Data(count: 32)
        message.record.signer = Data(count: 32)
        message.record.signature = Data(count: 64)
        message.secret = Data(count: 32)
        return Array(try message.serializedData() as Data)
    }

    /// Adds the device that makes a request.
    ///
    /// - Throws: ``CircleError`` when `identity` is not a member, the request is for another
    ///   circle, the device was removed before, or a limit is reached. The circle is then
    ///   unchanged.
    public mutating func add(_ request: JoinRequest, by identity: DeviceIdentity) throws {
        let member = request.member
        guard roster.members[identity.id] != nil else { throw CircleError.untrusted("only a member takes a device in") }
        guard request.circle == id else { throw CircleError.untrusted("the request is to another circle") }
        guard !roster.isGone(member.keys.id) else {
            throw CircleError.untrusted("a device that was removed can return with new keys only")
        }
        var grown = self
        let add = try Statement(adding: member, proof: request.proof, to: id, by: identity)
        try grown.roster.mergeWithinLimits([add] + [request.naming].compactMap(\.self))
        guard Set(roster.members.keys).union([member.keys.id]).isSubset(of: grown.roster.members.keys) else {
            throw CircleError.limitReached(
                "two devices of the circle would have the same short id; the newer must make new keys", .circleIDTaken)
        }
        self = grown
    }

    /// Removes a device, which may be `identity`'s own.
    ///
    /// The circle then gets a new secret, unless `identity`'s own device was removed. No limit
    /// prevents a removal.
    ///
    /// - Throws: ``CircleError`` when `identity` or the device is not a member. The circle is then
    ///   unchanged.
    public mutating func remove(_ device: DeviceID, by identity: DeviceIdentity) throws {
        guard roster.members[identity.id] != nil else { throw CircleError.untrusted("only a member removes a device") }
        guard roster.members[device] != nil else { throw CircleError.untrusted("that device is not in the circle") }
        var shrunk = self
        let stays = Set(roster.members.keys).subtracting([device])
        try shrunk.roster.merge([Statement(removing: device, stays: stays, from: id, by: identity)])
        try shrunk.renewSecret(ifNeededBy: identity)
        self = shrunk
    }

    /// Renames the device of `identity`.
    ///
    /// - Throws: ``CircleError`` when the device is not a member, or a limit is reached. The circle
    ///   is then unchanged.
    public mutating func rename(to name: String, by identity: DeviceIdentity) throws {
        guard roster.members[identity.id] != nil, let revision = roster.nextRevision(of: identity.id) else {
            throw CircleError.untrusted("only a member has a name in the circle")
        }
        var renamed = self
        try renamed.roster.mergeWithinLimits([Statement(naming: identity, name, in: id, revision: revision)])
        self = renamed
    }

    /// Signs a name for the device of `identity`, unless that device has already named itself.
    ///
    /// As long as a device has not named itself, another member could name it.
    ///
    /// - Throws: ``CircleError``. The circle is then unchanged.
    public mutating func sign(name: String, by identity: DeviceIdentity) throws {
        guard !roster.hasNamedItself(identity.id) else { return }
        try rename(to: name, by: identity)
    }

    /// Merges news from another member.
    ///
    /// If limits prevent merging all of the news, a part is merged as in
    /// ``Roster/mergeWhatFits(_:)``. Otherwise a device could stay in the circle by filling the
    /// roster.
    ///
    /// - Parameter identity: This device, which makes a new secret if no member vouches for the
    ///   present or the received secret.
    /// - Returns: Whether anything changed.
    /// - Throws: ``CircleError`` when the news is about another circle, or limits prevent merging
    ///   anything new. The circle is then unchanged.
    public mutating func merge(_ news: CircleNews, by identity: DeviceIdentity) throws -> Bool {
        guard news.circle == id else { throw CircleError.untrusted("that is another circle") }
        var merged = self
        let isWhole = try merged.roster.mergeWhatFits(news.statements)
        let isOwnUsable = record.isUsable(for: secret, in: merged.roster)
        if news.record.isUsable(for: news.secret, in: merged.roster),
            !isOwnUsable || news.record.isPreferred(to: record)
        {
            (merged.secret, merged.record) = (news.secret, news.record)
        }
        try merged.renewSecret(ifNeededBy: identity)
        guard merged != self else {
            guard isWhole else {
                throw CircleError.limitReached("its statements about the circle are too large", .circleRoomFull)
            }
            return false
        }
        self = merged
        return true
    }

    /// Makes a new secret if no member who knows all removals vouches for the present one.
    private mutating func renewSecret(ifNeededBy identity: DeviceIdentity) throws {
        guard roster.members[identity.id] != nil, !record.isUsable(for: secret, in: roster) else { return }
        let number = record.number
        secret = CircleSecret()
        record = try SecretRecord(after: number, secret: secret, in: roster, signer: identity)
    }

    /// Returns whether news contains exactly the statements and the record that are known here.
    ///
    /// - Parameter devices: The devices whose names for themselves are ignored.
    public func isKnown(from news: CircleNews, exceptNamesOf devices: Set<DeviceID> = []) -> Bool {
        let (told, known) = (news.without(namesOf: devices).statements, roster.statements)
        return news.circle == id && Set(told) == known.filter { !$0.isNaming(anyOf: devices) }
            && news.record == record
    }

    /// Returns the devices that have renamed themselves since an earlier state of the circle.
    public func renamed(since former: Circle) -> Set<DeviceID> {
        let new = roster.statements.filter { $0.isOwnNaming && !former.roster.statements.contains($0) }
        return Set(new.map(\.signer).filter { former.roster.ever[$0] != nil })
    }
}

/// News about the circle from a device, inside TLS. Only its format has been checked.
public struct CircleNews: Sendable {
    /// The circle of the news.
    public let circle: CircleID
    let statements: [Statement]
    let record: SecretRecord
    let secret: CircleSecret

    /// Reads news from a device.
    ///
    /// - Parameter known: The known circle; nil if there is none. Its statements are not decoded
    ///   again, because decoding is expensive.
    /// - Throws: ``CircleError/Code/malformed``.
    public init(encoded: [UInt8], known: Circle? = nil) throws {
        guard encoded.count <= Circle.maximumEncodedLength,
            let message = try? WireCircleState(serializedBytes: encoded)
        else { throw CircleError.malformed("circle") }
        try self.init(message, known: known?.roster.statements ?? [])
    }

    init(_ message: WireCircleState, known: Set<Statement> = []) throws {
        guard let id = CircleID(bytes: message.circle), let secret = CircleSecret(bytes: Array(message.secret)) else {
            throw CircleError.malformed("circle")
        }
        circle = id
        let known = Dictionary(known.map { ($0.signature, $0) }) { first, _ in first }
        statements = try message.statements.map { told in
            guard let statement = known[Array(told.signature)], statement.body.elementsEqual(told.body) else {
                return try Statement(told)
            }
            return statement
        }
        record = try SecretRecord(message.record)
        self.secret = secret
    }

    private init(_ news: CircleNews, _ statements: [Statement]) {
        (circle, record, secret) = (news.circle, news.record, news.secret)
        self.statements = statements
    }

    /// Returns the news without the names that some devices gave themselves.
    public func without(namesOf devices: Set<DeviceID>) -> CircleNews {
        devices.isEmpty ? self : CircleNews(self, statements.filter { !$0.isNaming(anyOf: devices) })
    }

    /// Returns the name that a device gave itself, as news; nil if it gave none.
    public func naming(of device: DeviceID) -> CircleNews? {
        let namings = statements.filter { $0.isNaming(anyOf: [device]) }
        return namings.isEmpty ? nil : CircleNews(self, namings)
    }
}

extension Statement {
    /// Returns whether one of the given devices names itself in this statement.
    fileprivate func isNaming(anyOf devices: Set<DeviceID>) -> Bool { isOwnNaming && devices.contains(signer) }
}
