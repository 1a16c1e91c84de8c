// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// The membership rule in its simplest form, with numbers for devices. The tests compare rosters
/// with it.
private struct Model {
    var adds: Set<[Int]> = []
    var removals: Set<Removal> = []

    struct Removal: Hashable {
        var signer: Int
        var gone: Int
        var stays: Set<Int>
    }

    static func closure(_ seeds: Set<Int>, _ adds: Set<[Int]>) -> Set<Int> {
        var all = seeds
        while true {
            let more = Set(adds.filter { all.contains($0[0]) }.map { $0[1] }).subtracting(all)
            if more.isEmpty { return all }
            all.formUnion(more)
        }
    }

    var members: Set<Int> {
        let ever = Self.closure([0], adds)
        // A statement by a device that was never in the circle does not count.
        let adds = adds.filter { ever.contains($0[0]) }
        let counted = removals.filter { ever.contains($0.signer) }
        var members = ever
        for removal in counted {
            let seeds = removal.stays.subtracting([removal.gone])
            members.formIntersection(Self.closure(seeds, adds.filter { !$0.contains(removal.gone) }))
        }
        return members.subtracting(counted.map(\.gone))
    }
}

/// Random statements by anyone. The rosters must agree with the model, in any order.
@Suite struct MembershipPropertyTests {
    static let identities = (0..<12).map { _ in DeviceIdentity() }
    let circle = CircleID(founder: Self.identities[0].id)

    private func statement(adding device: Int, by signer: Int) throws -> Statement {
        try Statement(adding: Self.identities[device], "L", to: circle, by: Self.identities[signer])
    }

    private func statement(_ removal: Model.Removal) throws -> Statement {
        try Statement(
            removing: Self.identities[removal.gone].id, stays: Set(removal.stays.map { Self.identities[$0].id }),
            from: circle, by: Self.identities[removal.signer])
    }

    @Test("The roster of random statements agrees with the model, in any order", arguments: 0..<100)
    func rosterAgreesWithTheModel(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        var statements = [try statement(adding: 0, by: 0)]
        for _ in 0..<Int.random(in: 3...22, using: &random) {
            let signer = Int.random(in: 0..<Self.identities.count, using: &random)
            let other = Int.random(in: 1..<Self.identities.count, using: &random)
            if Int.random(in: 0..<10, using: &random) < 7 {
                // Choose mostly signers that can be reached. With random signers, the founder would
                // reach hardly any device.
                let reached = Model.closure([0], model.adds)
                let adder =
                    Int.random(in: 0..<5, using: &random) == 0
                    ? signer : reached.sorted().randomElement(using: &random) ?? 0
                guard adder != other else { continue }
                model.adds.insert([adder, other])
                statements.append(try statement(adding: other, by: adder))
            } else {
                let all = Array(0..<Self.identities.count)
                let stays =
                    Bool.random(using: &random)
                    ? model.members.subtracting([other])
                    : Set(all.shuffled(using: &random).prefix(Int.random(in: 0...all.count, using: &random)))
                let removal = Model.Removal(signer: signer, gone: other, stays: stays)
                model.removals.insert(removal)
                statements.append(try statement(removal))
            }
        }
        let expected = Set(model.members.map { Self.identities[$0].id })
        let roster = try Roster(circle: circle, statements: statements)
        #expect(Set(roster.members.keys) == expected)

        for _ in 0..<4 {
            let shuffled = statements.shuffled(using: &random)
            let cut = Int.random(in: 0...shuffled.count, using: &random)
            var one = try Roster(circle: circle, statements: [statements[0]] + shuffled[..<cut])
            var two = try Roster(circle: circle, statements: [statements[0]] + shuffled[cut...])
            try one.merge(shuffled)
            try two.merge(shuffled.reversed())
            #expect(one == roster && two == roster)
        }
        // A further removal never adds a device, whoever signs it. Adds by a removed device never
        // count.
        for removal in model.removals where !roster.ever.isEmpty {
            var more = model
            let thief = Model.Removal(
                signer: removal.gone, gone: Int.random(in: 0..<12, using: &random),
                stays: Set((0..<12).filter { _ in Bool.random(using: &random) }))
            more.removals.insert(thief)
            var shrunk = roster
            try shrunk.merge([statement(thief)])
            #expect(Set(shrunk.members.keys).isSubset(of: roster.members.keys))
            #expect(Set(shrunk.members.keys) == Set(more.members.map { Self.identities[$0].id }))
        }
    }

    @Test("Adds by a removed device never count", arguments: 0..<20)
    func addsOfTheRemovedAreNone(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        var statements = try (1..<6).map { try statement(adding: $0, by: Int.random(in: 0..<$0, using: &random)) }
        statements.append(try statement(adding: 0, by: 0))
        var roster = try Roster(circle: circle, statements: statements)
        let gone = Int.random(in: 1..<6, using: &random)
        let stays = Set(0..<6).subtracting([gone])
        try roster.merge([statement(.init(signer: 0, gone: gone, stays: stays))])
        let before = roster.members
        try roster.merge([statement(adding: 6, by: gone), statement(adding: 7, by: 6)])
        #expect(roster.members == before)
        #expect(roster.isGone(Self.identities[gone].id))
    }
}
