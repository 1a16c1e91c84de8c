// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// A random history of devices, which exchange their knowledge if they accept each other.
///
/// Sometimes a device is stolen. The thief can send every statement that the stolen keys can sign.
/// Devices that still accept one of the thief's devices receive these statements.
private struct History {
    /// There are enough devices for one new device in each step.
    static let identities = (0..<48).map { _ in DeviceIdentity() }
    static let circle = CircleID(founder: identities[0].id)

    var random: SeededGenerator
    var rosters: [Int: Roster]
    var honest: Set<Int> = [0]
    var stolen: Set<Int> = []
    var thievish: Set<Int> = []
    /// The honest devices that added each honest device.
    var sponsors: [Int: Int] = [:]
    var devices = 1

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        rosters = [0: try Roster(foundedBy: Self.identities[0], name: "L")]
    }

    static func id(_ device: Int) -> DeviceID { identities[device].id }

    static func adding(_ device: Int, by signer: Int) throws -> Statement {
        try Statement(adding: identities[device], "L", to: circle, by: identities[signer])
    }

    static func removing(_ gone: DeviceID, stays: Set<DeviceID>, by signer: Int) throws -> Statement {
        try Statement(removing: gone, stays: stays, from: circle, by: identities[signer])
    }

    mutating func pick(_ devices: Set<Int>) -> Int? { devices.sorted().randomElement(using: &random) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    func accepts(_ device: Int, by other: Int) -> Bool { rosters[other]?.members[Self.id(device)] != nil }

    mutating func step() throws {
        guard let here = pick(honest), let roster = rosters[here] else { return }
        let isMember = accepts(here, by: here)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30 where isMember: try takeIn(at: here)
        case 30..<42 where isMember && roster.members.count > 1:
            guard let other = pick(Set((0..<devices).filter { $0 != here && accepts($0, by: here) })) else { return }
            let gone = Self.id(other)
            let stays = Set(roster.members.keys).subtracting([gone])
            try rosters[here]?.merge([Self.removing(gone, stays: stays, by: here)])
        case 42..<50 where honest.count > 2:
            guard let victim = pick(honest.subtracting([here])) else { return }
            honest.remove(victim)
            stolen.insert(victim)
        case 50..<65 where !stolen.isEmpty: try steal(at: here)
        default: try meet(here)
        }
    }

    private mutating func takeIn(at here: Int) throws {
        let device = devices
        devices += 1
        try rosters[here]?.merge([Self.adding(device, by: here)])
        rosters[device] = rosters[here]
        honest.insert(device)
        sponsors[device] = here
    }

    private mutating func steal(at here: Int) throws {
        let keys = stolen.union(thievish)
        guard let signer = pick(keys) else { return }
        let statement: Statement
        if chance(50) {
            statement = try Self.adding(devices, by: signer)
            thievish.insert(devices)
            devices += 1
        } else {
            statement = try anyRemoval(by: signer)
        }
        if keys.contains(where: { accepts($0, by: here) }) { try rosters[here]?.merge([statement]) }
    }

    mutating func anyRemoval(by signer: Int) throws -> Statement {
        let all = Array(0..<devices)
        let stays = all.shuffled(using: &random).prefix(Int.random(in: 0...all.count, using: &random))
        let gone = Int.random(in: 0..<devices, using: &random)
        return try Self.removing(Self.id(gone), stays: Set(stays.map(Self.id)), by: signer)
    }

    private mutating func meet(_ here: Int) throws {
        guard let there = pick(honest), (accepts(here, by: there) && accepts(there, by: here)) || chance(20),
            let one = rosters[here], let two = rosters[there]
        else { return }
        try rosters[here]?.merge(Array(two.statements))
        try rosters[there]?.merge(Array(one.statements))
    }
}

@Suite struct MembershipHistoryTests {
    private func history(_ seed: UInt64) throws -> History {
        var history = try History(seed: seed)
        for _ in 0..<Int.random(in: 5...40, using: &history.random) { try history.step() }
        return history
    }

    /// Returns the devices that stay after an honest removal: the kept devices, and those that they
    /// added.
    private func closure(_ stays: Set<DeviceID>, in roster: Roster, without gone: DeviceID) -> Set<DeviceID> {
        var reached = stays.subtracting([gone])
        while true {
            let more = Set(
                roster.statements.compactMap { statement in
                    reached.contains(statement.signer) && statement.signer != gone ? statement.added?.keys.id : nil
                }
            ).subtracting(reached)
            if more.isEmpty { return reached }
            reached.formUnion(more)
        }
    }

    @Test("In random histories a thief can remove devices, but never add any", arguments: 0..<150)
    func aThiefEvictsButNeverAdmits(seed: UInt64) throws {
        var history = try history(seed)
        for device in history.honest {
            let roster = try #require(history.rosters[device])
            let members = Set(roster.members.keys)
            let removals = roster.statements.compactMap { statement in
                if case .remove(let gone, let stays) = statement.kind { (statement.signer, gone, stays) } else { nil }
            }
            #expect(members.isDisjoint(with: removals.map(\.1)), "who was removed is out")
            for (signer, gone, stays) in removals where history.honest.contains(where: { History.id($0) == signer }) {
                #expect(members.isSubset(of: closure(stays, in: roster, without: gone)), "taken in through who is gone")
            }
            for key in history.stolen.union(history.thievish) {
                var shrunk = roster
                try shrunk.merge([history.anyRemoval(by: key)])
                #expect(Set(shrunk.members.keys).isSubset(of: members), "a removal took somebody in")
            }
            for (index, identity) in History.identities.enumerated()
            where removals.contains(where: { $0.1 == identity.id }) {
                var backdated = roster
                try backdated.merge([History.adding(47, by: index)])
                #expect(!backdated.members.keys.contains(History.id(47)), "an Add of a removed device counted")
            }
        }
    }

    @Test("Devices that honest devices added are never lost", arguments: 0..<150)
    func honestAddsAreNeverLost(seed: UInt64) throws {
        let history = try history(seed)
        guard history.stolen.isEmpty else { return }
        var all = try #require(history.rosters[0])
        for roster in history.rosters.values { try all.merge(Array(roster.statements)) }
        for device in history.sponsors.keys {
            var path = [device]
            while let last = path.last, let sponsor = history.sponsors[last] { path.append(sponsor) }
            guard !path.contains(where: { all.isGone(History.id($0)) && isRemoved($0, in: all) }) else { continue }
            #expect(all.members[History.id(device)] != nil)
        }
    }

    private func isRemoved(_ device: Int, in roster: Roster) -> Bool {
        roster.statements.contains {
            if case .remove(History.id(device), _) = $0.kind { true } else { false }
        }
    }
}
