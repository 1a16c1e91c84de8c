// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SwiftProtobuf

/// One person's devices, and the secret that their beacons share.
public struct Circle: Hashable, Sendable {
    /// Who belongs to it.
    public private(set) var roster: Roster
    /// The secret under which beacons are made and opened.
    public private(set) var secret: CircleSecret
    private var record: SecretRecord

    /// The longest encoding that is looked at, in bytes: the longest roster, and what is told
    /// beside it.
    public static let maximumEncodedLength = Roster.maximumLengthWithRemovals + 1_024

    /// A new circle with one device.
    public init(foundedBy identity: DeviceIdentity, name: String) throws {
        roster = try Roster(foundedBy: identity, name: name)
        secret = CircleSecret()
        record = try SecretRecord(after: 0, secret: secret, in: roster, signer: identity)
    }

    /// A circle as a member told it, inside TLS, or as it was kept: its secret must be vouched for
    /// by a member.
    ///
    /// - Throws: ``CircleError`` when anything in it does not hold.
    public init(encoded: [UInt8]) throws {
        try self.init(CircleNews(encoded: encoded))
    }

    init(_ message: WireCircleState) throws { try self.init(CircleNews(message)) }

    private init(_ news: CircleNews) throws {
        roster = try Roster(circle: news.circle, statements: news.statements)
        secret = news.secret
        record = news.record
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

    /// What a device is told that was removed, inside TLS: the removal that names it, and nothing
    /// else. Where a secret and its record would stand there are zeros.
    ///
    /// - Returns: Nil for a device that no other has removed by name.
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

    /// Takes the device in that makes a request.
    ///
    /// - Throws: ``CircleError``, with nothing changed, when `identity` is not a member, the
    ///   request is to another circle, the device was removed before, or a limit is reached.
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
                "two devices of the circle would have the same short id; the newer must make new keys")
        }
        self = grown
    }

    /// Removes a device, which may be `identity`'s own; the circle has a new secret then, unless
    /// nobody here may make one.
    ///
    /// - Throws: ``CircleError``, with nothing changed, when `identity` or the device is not a
    ///   member. No limit stands in the way.
    public mutating func remove(_ device: DeviceID, by identity: DeviceIdentity) throws {
        guard roster.members[identity.id] != nil else { throw CircleError.untrusted("only a member removes a device") }
        guard roster.members[device] != nil else { throw CircleError.untrusted("that device is not in the circle") }
        var shrunk = self
        let stays = Set(roster.members.keys).subtracting([device])
        try shrunk.roster.merge([Statement(removing: device, stays: stays, from: id, by: identity)])
        try shrunk.renewSecret(ifNeededBy: identity)
        self = shrunk
    }

    /// Gives the device of `identity` another name.
    ///
    /// - Throws: ``CircleError``, with nothing changed, when it is not a member, or a limit is
    ///   reached.
    public mutating func rename(to name: String, by identity: DeviceIdentity) throws {
        guard roster.members[identity.id] != nil, let revision = roster.nextRevision(of: identity.id) else {
            throw CircleError.untrusted("only a member has a name in the circle")
        }
        var renamed = self
        try renamed.roster.mergeWithinLimits([Statement(naming: identity, name, in: id, revision: revision)])
        self = renamed
    }

    /// Has the device of `identity` name itself if it never has: until then another member can name
    /// it.
    ///
    /// - Throws: ``CircleError``, with nothing changed.
    public mutating func sign(name: String, by identity: DeviceIdentity) throws {
        guard !roster.hasNamedItself(identity.id) else { return }
        try rename(to: name, by: identity)
    }

    /// Takes in what another member knows.
    ///
    /// When limits stand in the way of the whole, as much is taken in as
    /// ``Roster/mergeWhatFits(_:)`` says: who fills the roster up must not be able to stay by that.
    ///
    /// - Parameter identity: This device, which makes a new secret when no known one is vouched for
    ///   any more.
    /// - Returns: Whether anything changed.
    /// - Throws: ``CircleError``, with nothing changed, when it is about another circle, or limits
    ///   stand in the way of all that is new.
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
            guard isWhole else { throw CircleError.limitReached("what it says of the circle takes too much room") }
            return false
        }
        self = merged
        return true
    }

    /// Makes a new secret when that in use is not vouched for by a member who knows all removals.
    private mutating func renewSecret(ifNeededBy identity: DeviceIdentity) throws {
        guard roster.members[identity.id] != nil, !record.isUsable(for: secret, in: roster) else { return }
        let number = record.number
        secret = CircleSecret()
        record = try SecretRecord(after: number, secret: secret, in: roster, signer: identity)
    }

    /// Whether what another device told is just what is known here.
    ///
    /// - Parameter devices: How these devices name themselves does not matter.
    public func isKnown(from news: CircleNews, exceptNamesOf devices: Set<DeviceID> = []) -> Bool {
        let (told, known) = (news.without(namesOf: devices).statements, roster.statements)
        return news.circle == id && Set(told) == known.filter { !$0.isNaming(anyOf: devices) }
            && news.record == record
    }

    /// The devices that have named themselves anew since the circle was another one.
    public func renamed(since former: Circle) -> Set<DeviceID> {
        let new = roster.statements.filter { $0.isOwnNaming && !former.roster.statements.contains($0) }
        return Set(new.map(\.signer).filter { former.roster.ever[$0] != nil })
    }
}

/// What a device tells of the circle, inside TLS: nothing in it has been judged but its form.
public struct CircleNews: Sendable {
    /// The circle that it is about.
    public let circle: CircleID
    let statements: [Statement]
    let record: SecretRecord
    let secret: CircleSecret

    /// What a device told.
    ///
    /// - Parameter known: The circle as it is known: of what it has, nothing is read again, which
    ///   is the dear part. Nil where none is.
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

    /// All of it but for how some devices name themselves.
    public func without(namesOf devices: Set<DeviceID>) -> CircleNews {
        devices.isEmpty ? self : CircleNews(self, statements.filter { !$0.isNaming(anyOf: devices) })
    }

    /// How a device names itself; nil when it does not say.
    public func naming(of device: DeviceID) -> CircleNews? {
        let namings = statements.filter { $0.isNaming(anyOf: [device]) }
        return namings.isEmpty ? nil : CircleNews(self, namings)
    }
}

extension Statement {
    /// Whether one of some devices names itself by it.
    fileprivate func isNaming(anyOf devices: Set<DeviceID>) -> Bool { isOwnNaming && devices.contains(signer) }
}
