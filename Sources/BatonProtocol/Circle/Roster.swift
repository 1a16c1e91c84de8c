// SPDX-License-Identifier: Apache-2.0

/// Who belongs to a circle: a set of signed statements that only grows, merged by union, in any order.
///
/// Members are all devices that the founder reaches by statements. Source: `Documentation/Protocol/Circle.md`, "Roster".
public struct Roster: Hashable, Sendable {
    /// The circle that this is about.
    public let circle: CircleID
    /// All that was ever stated by devices of the circle.
    private(set) var statements: Set<Statement>
    /// The devices of the circle, by id.
    public private(set) var members: [DeviceID: Member]

    /// The most statements that one device may make.
    public static let maximumStatementsPerSigner = 256
    /// The most members: a knock is tried against each.
    public static let maximumMembers = 128

    /// The roster of a new circle, with its founder alone.
    init(foundedBy identity: DeviceIdentity, name: String) throws {
        circle = CircleID(founder: identity.id)
        statements = []
        members = [:]
        try merge([Statement(adding: Member(keys: identity.keys, name: name), to: circle, by: identity)])
    }

    /// A roster made of statements as received; those that do not hold are left out.
    ///
    /// - Throws: ``CircleError`` when not even the founder's own statement is there.
    init(circle: CircleID, statements received: [Statement]) throws {
        self.circle = circle
        statements = []
        members = [:]
        try merge(received)
        guard !members.isEmpty else { throw CircleError.untrusted("the roster does not name the circle's founder") }
    }

    /// Takes statements in; what is not signed by a member of the circle is ignored.
    ///
    /// - Returns: whether anything was new.
    /// - Throws: ``CircleError/Code/limitReached``, with nothing changed.
    @discardableResult
    mutating func merge(_ received: [Statement]) throws -> Bool {
        var accepted = statements
        var reached = members
        var pending = received.filter { !statements.contains($0) }
        var progress = true
        while progress {
            progress = false
            pending.removeAll { statement in
                guard let keys = signerKeys(of: statement, among: reached) else { return false }
                // A signer's key never changes, so that each signature is judged once.
                guard statement.isSigned(with: keys, in: circle) else { return true }
                accepted.insert(statement)
                reached[statement.added.keys.id] = statement.added
                progress = true
                return true
            }
            guard reached.count <= Self.maximumMembers else { break }
        }
        for member in Self.named(by: accepted) { reached[member.keys.id] = member }
        try Self.checkLimits(statements: accepted, members: reached)
        let grew = accepted.count > statements.count
        (statements, members) = (accepted, reached)
        return grew
    }

    /// The founder vouches for itself; everybody else must have been reached before.
    private func signerKeys(of statement: Statement, among reached: [DeviceID: Member]) -> DeviceKeys? {
        if let member = reached[statement.signer] { return member.keys }
        let isFounder = statement.added.keys.id == statement.signer && CircleID(founder: statement.signer) == circle
        return isFounder ? statement.added.keys : nil
    }

    /// Every device under one name, whatever the order in which statements came: the one that it gave itself, else the one in the
    /// statement whose body is the smallest.
    private static func named(by statements: Set<Statement>) -> [Member] {
        Dictionary(grouping: statements, by: \.added.keys.id).values.compactMap { about in
            let own = about.filter { $0.signer == $0.added.keys.id }
            return (own.isEmpty ? about : own).min { $0.body.lexicographicallyPrecedes($1.body) }?.added
        }
    }

    private static func checkLimits(statements: Set<Statement>, members: [DeviceID: Member]) throws {
        guard members.count <= maximumMembers else {
            throw CircleError.limitReached("a circle has at most \(maximumMembers) devices")
        }
        guard Set(members.keys.map(\.short)).count == members.count else {
            throw CircleError.limitReached(
                "two devices of the circle have the same short id; the newer must make new keys")
        }
        let bySigner = Dictionary(grouping: statements, by: \.signer)
        guard bySigner.values.allSatisfy({ $0.count <= maximumStatementsPerSigner }) else {
            throw CircleError.limitReached("a device makes at most \(maximumStatementsPerSigner) statements")
        }
    }
}
