// SPDX-License-Identifier: Apache-2.0

import Crypto
import Diagnosis

/// The members of a circle, which follow from a set of signed statements.
///
/// Merging two rosters keeps the statements of both. The order of merging does not matter. Only the
/// last name that a device gave itself stays. Source: `Documentation/Protocol/Circle.md`, "Roster".
/// ``Membership`` implements its rule.
public struct Roster: Hashable, Sendable {
    /// The circle of this roster.
    public let circle: CircleID
    /// All statements by devices of the circle.
    private(set) var statements: Set<Statement>
    /// The members of the circle, by id.
    public private(set) var members: [DeviceID: Member]
    /// All devices that ever belonged to the circle, by id.
    private(set) var ever: [DeviceID: Member]
    /// A digest of all removals. Rosters with the same removals have the same digest.
    private(set) var removalsDigest: [UInt8]

    /// The maximum number of Adds by one device. Only the roster's length limits the removals.
    public static let maximumAddsPerSigner = 256
    /// The maximum number of members, which is limited because a knock is checked with each
    /// member's key.
    public static let maximumMembers = 128
    /// The maximum number of devices that were ever added.
    public static let maximumEver = 1_024

    /// Creates the roster of a new circle, which contains only its founder.
    init(foundedBy identity: DeviceIdentity, name: String) throws {
        self.init(circle: CircleID(founder: identity.id))
        try merge([Statement(naming: identity, name, in: circle)])
    }

    /// Creates a roster from received statements, and drops invalid ones.
    ///
    /// - Throws: ``CircleError`` when the founder's own statement is missing.
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

    /// Merges statements.
    ///
    /// Ignores statements by devices that were never in the circle, and statements with a wrong
    /// signature. Also ignores Adds without a valid proof of the added device's keys.
    ///
    /// - Returns: Whether any statement was new.
    /// - Throws: ``CircleError/Code/limitReached``. The roster is then unchanged.
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
                // A signer's key never changes, so each signature is checked only once.
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

    /// The circle's founder; nil only if there are no statements.
    var founder: DeviceID? { ever.keys.first { CircleID(founder: $0) == circle } }

    /// Whether any device was removed or has left.
    public var hasRemovals: Bool { statements.contains(where: \.isRemoval) }

    /// Returns whether a device was a member and no longer is. A device with the same keys can
    /// never be a member again.
    public func isGone(_ device: DeviceID) -> Bool { ever[device] != nil && members[device] == nil }

    /// Returns a removal that names a device, preferably one that a member signed; nil if there is
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

    /// Returns the device that signed the removal of a device; nil if no removal names that device.
    ///
    /// A device that left has signed its own removal.
    public func remover(of device: DeviceID) -> DeviceID? { removal(of: device)?.signer }

    /// The devices that have added each device, including former members.
    public var sponsors: [DeviceID: Set<DeviceID>] {
        var sponsors: [DeviceID: Set<DeviceID>] = [:]
        for statement in statements where !statement.isOwnNaming {
            guard let added = statement.added else { continue }
            sponsors[added.keys.id, default: []].insert(statement.signer)
        }
        return sponsors
    }

    /// Returns the next revision for a device's own name; nil if all revisions are used up.
    func nextRevision(of device: DeviceID) -> UInt32? {
        let last = statements.filter { $0.isOwnNaming && $0.signer == device }.map(\.revision).max() ?? 0
        return last == .max ? nil : last + 1
    }

    /// Returns whether a device has signed its own name.
    func hasNamedItself(_ device: DeviceID) -> Bool {
        statements.contains { $0.isOwnNaming && $0.signer == device }
    }

    /// Returns the keys of a statement's signer; nil for a signer that nobody has added yet.
    ///
    /// The founder's keys are in its first statement about itself.
    private func signerKeys(of statement: Statement, among reached: [DeviceID: Member]) -> DeviceKeys? {
        if let member = reached[statement.signer] { return member.keys }
        let isFounder = statement.isOwnNaming && CircleID(founder: statement.signer) == circle
        return isFounder ? statement.added?.keys : nil
    }

    /// Returns each device with one name, whatever the order of the statements.
    ///
    /// This is the name that the device last gave itself. If it gave itself none, this is the name
    /// in the statement with the smallest body.
    private static func named(by statements: Set<Statement>) -> [Member] {
        Dictionary(grouping: statements.filter { !$0.isRemoval }) { $0.added?.keys.id }.values.compactMap { about in
            about.min { $0.isPreferred(to: $1) }?.added
        }
    }

    /// Removes the former names that devices gave themselves.
    ///
    /// Former names have no effect on the membership.
    private static func withoutFormerNames(_ statements: Set<Statement>) -> Set<Statement> {
        let own = Dictionary(grouping: statements.filter(\.isOwnNaming), by: \.signer)
        let former = own.values.flatMap { namings in
            let best = namings.min { $0.isPreferred(to: $1) }
            return namings.filter { $0 != best }
        }
        return statements.subtracting(former)
    }

    /// Keeps only one of several members with the same short id, whatever their order.
    ///
    /// Such members would have the same id in beacons. The member that the founder reaches with the
    /// fewest Adds stays; among equals, the one with the smallest id.
    private static func withoutSameNumbers(
        _ members: [DeviceID: Member], in circle: CircleID, by statements: Set<Statement>
    ) -> [DeviceID: Member] {
        let numbers = Dictionary(grouping: members.keys, by: \.short)
        guard numbers.count < members.count else { return members }
        let founder = statements.lazy.map(\.signer).first { CircleID(founder: $0) == circle }
        let steps = Membership.steps(from: Set([founder].compactMap(\.self)), by: Membership.added(by: statements))
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

    private static func checkLimits(statements: Set<Statement>, members: [DeviceID: Member], ever: Int) throws {
        guard members.count <= maximumMembers, ever <= maximumEver else {
            throw CircleError.limitReached(
                "a circle has at most \(maximumMembers) devices", .circleMembersFull, ["limit": .count(maximumMembers)])
        }
        let bySigner = Dictionary(grouping: statements.filter { !$0.isRemoval }, by: \.signer)
        guard bySigner.values.allSatisfy({ $0.count <= maximumAddsPerSigner }) else {
            throw CircleError.limitReached(
                "a device takes in at most \(maximumAddsPerSigner) others", .circleAddsFull,
                ["limit": .count(maximumAddsPerSigner)])
        }
    }
}
