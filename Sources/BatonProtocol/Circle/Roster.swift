// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Who belongs to a circle: a set of signed statements that only grows, merged by union, in any
/// order.
///
/// Source: `Documentation/Protocol/Circle.md`, "Roster"; ``Membership`` is its rule.
public struct Roster: Hashable, Sendable {
    /// The circle that this is about.
    public let circle: CircleID
    /// All that was ever stated by devices of the circle.
    private(set) var statements: Set<Statement>
    /// The devices of the circle, by id.
    public private(set) var members: [DeviceID: Member]
    /// All devices that ever belonged to it, by id.
    private(set) var ever: [DeviceID: Member]
    /// A digest of all removals: equal rosters of members have equal ones.
    private(set) var removalsDigest: [UInt8]

    /// The most Adds that one device may make. Removals are limited by their length alone.
    public static let maximumAddsPerSigner = 256
    /// The most members: a knock is tried against each.
    public static let maximumMembers = 128
    /// The most devices that may ever have been taken in.
    public static let maximumEver = 1_024

    /// The roster of a new circle, with its founder alone.
    init(foundedBy identity: DeviceIdentity, name: String) throws {
        self.init(circle: CircleID(founder: identity.id))
        try merge([Statement(naming: identity, name, in: circle)])
    }

    /// A roster made of statements as received; those that do not hold are left out.
    ///
    /// - Throws: ``CircleError`` when not even the founder's own statement is there.
    init(circle: CircleID, statements received: [Statement]) throws {
        self.init(circle: circle)
        try merge(received)
        guard !ever.isEmpty else { throw CircleError.untrusted("the roster does not name the circle's founder") }
    }

    private init(circle: CircleID) {
        self.circle = circle
        statements = []
        members = [:]
        ever = [:]
        removalsDigest = Self.digest(ofRemovalsIn: [])
    }

    /// Takes statements in; what is not signed by a device that was ever of the circle is ignored,
    /// and so are Adds of keys that their device has not shown to hold.
    ///
    /// - Returns: Whether anything was new.
    /// - Throws: ``CircleError/Code/limitReached``, with nothing changed.
    @discardableResult
    mutating func merge(_ received: [Statement]) throws -> Bool {
        var accepted = statements
        var reached = ever
        var pending = received.filter { !statements.contains($0) }
        var progress = true
        while progress {
            progress = false
            pending.removeAll { statement in
                guard let keys = signerKeys(of: statement, among: reached) else { return false }
                // A signer's key never changes, so that each signature is judged once.
                guard statement.isSigned(with: keys, in: circle), statement.isProved(in: circle) else { return true }
                accepted.insert(statement)
                if let added = statement.added { reached[added.keys.id] = added }
                progress = true
                return true
            }
            guard reached.count <= Self.maximumEver else { break }
        }
        accepted = Self.withoutFormerNames(accepted)
        guard accepted != statements else { return false }
        for member in Self.named(by: accepted) { reached[member.keys.id] = member }
        let remaining = Membership(ever: Set(reached.keys), statements: accepted).members
        let members = Self.withoutSameNumbers(reached.filter { remaining.contains($0.key) }, in: circle, by: accepted)
        try Self.checkLimits(statements: accepted, members: members, ever: reached.count)
        (statements, self.members, ever) = (accepted, members, reached)
        removalsDigest = Self.digest(ofRemovalsIn: accepted)
        return true
    }

    /// Who has founded the circle; nil only of a roster without statements.
    var founder: DeviceID? { ever.keys.first { CircleID(founder: $0) == circle } }

    /// Whether any device was ever removed, or has left.
    public var hasRemovals: Bool { statements.contains(where: \.isRemoval) }

    /// Whether a device belonged to the circle and does not any more: its keys never return.
    public func isGone(_ device: DeviceID) -> Bool { ever[device] != nil && members[device] == nil }

    /// A removal that names a device, one that a member has signed before others; nil when there is
    /// none.
    func removal(of device: DeviceID) -> Statement? {
        let removals = statements.filter { statement in
            if case .remove(device, _) = statement.kind { true } else { false }
        }
        return removals.min { one, other in
            let (isMembers, isOthers) = (members[one.signer] != nil, members[other.signer] != nil)
            return isMembers != isOthers ? isMembers : one.body.lexicographicallyPrecedes(other.body)
        }
    }

    /// Who has removed a device, if it was removed by name.
    public func remover(of device: DeviceID) -> DeviceID? { removal(of: device)?.signer }

    /// Who has taken each device in, be they members still or not; nobody has the founder.
    public var sponsors: [DeviceID: Set<DeviceID>] {
        var sponsors: [DeviceID: Set<DeviceID>] = [:]
        for statement in statements where !statement.isOwnNaming {
            guard let added = statement.added else { continue }
            sponsors[added.keys.id, default: []].insert(statement.signer)
        }
        return sponsors
    }

    /// The revision with which a device that names itself anew comes out on top; nil when all are
    /// used up.
    func nextRevision(of device: DeviceID) -> UInt32? {
        let last = statements.filter { $0.isOwnNaming && $0.signer == device }.map(\.revision).max() ?? 0
        return last == .max ? nil : last + 1
    }

    /// Whether a device has signed a name of its own.
    func hasNamedItself(_ device: DeviceID) -> Bool {
        statements.contains { $0.isOwnNaming && $0.signer == device }
    }

    /// The founder vouches for itself; everybody else must have been reached before.
    private func signerKeys(of statement: Statement, among reached: [DeviceID: Member]) -> DeviceKeys? {
        if let member = reached[statement.signer] { return member.keys }
        let isFounder = statement.isOwnNaming && CircleID(founder: statement.signer) == circle
        return isFounder ? statement.added?.keys : nil
    }

    /// Every device under one name, whatever the order in which statements came: the last that it
    /// gave itself, else the one in the statement whose body is the smallest.
    private static func named(by statements: Set<Statement>) -> [Member] {
        Dictionary(grouping: statements.filter { !$0.isRemoval }) { $0.added?.keys.id }.values.compactMap { about in
            about.min { $0.isPreferred(to: $1) }?.added
        }
    }

    /// What a device once called itself says nothing any more, and says nothing of who belongs to
    /// the circle either.
    private static func withoutFormerNames(_ statements: Set<Statement>) -> Set<Statement> {
        let own = Dictionary(grouping: statements.filter(\.isOwnNaming), by: \.signer)
        let former = own.values.flatMap { namings in
            let best = namings.min { $0.isPreferred(to: $1) }
            return namings.filter { $0 != best }
        }
        return statements.subtracting(former)
    }

    /// Of devices with one number only one is a member, whatever the order in which they came: the
    /// one that the founder reaches by the fewest Adds, of equals the one with the smallest id.
    /// Both would have one place in beacons.
    private static func withoutSameNumbers(
        _ members: [DeviceID: Member], in circle: CircleID, by statements: Set<Statement>
    ) -> [DeviceID: Member] {
        let numbers = Dictionary(grouping: members.keys, by: \.short)
        guard numbers.count < members.count else { return members }
        let founder = statements.lazy.map(\.signer).first { CircleID(founder: $0) == circle }
        let steps = Membership.steps(
            from: Set([founder].compactMap(\.self)), by: Membership.added(by: statements))
        func rank(_ device: DeviceID) -> (Int, DeviceID) { (steps[device] ?? .max, device) }
        let first = numbers.mapValues { $0.min { rank($0) < rank($1) } }
        return members.filter { first[$0.key.short] == $0.key }
    }

    private static func digest(ofRemovalsIn statements: Set<Statement>) -> [UInt8] {
        var hash = SHA256()
        let bodies = Set(statements.filter(\.isRemoval).map { Array(SHA256.hash(data: $0.body)) })
        for body in bodies.sorted(by: { $0.lexicographicallyPrecedes($1) }) { hash.update(data: body) }
        return Array(hash.finalize())
    }

    private static func checkLimits(
        statements: Set<Statement>, members: [DeviceID: Member], ever: Int
    ) throws {
        guard members.count <= maximumMembers, ever <= maximumEver else {
            throw CircleError.limitReached("a circle has at most \(maximumMembers) devices")
        }
        let bySigner = Dictionary(grouping: statements.filter { !$0.isRemoval }, by: \.signer)
        guard bySigner.values.allSatisfy({ $0.count <= maximumAddsPerSigner }) else {
            throw CircleError.limitReached("a device takes in at most \(maximumAddsPerSigner) others")
        }
    }
}
