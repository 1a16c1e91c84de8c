// SPDX-License-Identifier: Apache-2.0

/// The rule by which statements make members: independent of their order, and such that a removal
/// only ever takes devices away.
///
/// *Ever* are all devices that the founder reaches by Adds. A removal by any of them counts for
/// ever: it takes `gone` away, and whatever is not reached by Adds from those that it keeps, other
/// than through `gone`. Source: `Documentation/Protocol/Circle.md`, "Roster".
struct Membership {
    let members: Set<DeviceID>

    /// - Parameters:
    ///   - ever: The founder and all that it reaches.
    ///   - statements: All of them signed by devices in `ever`.
    init(ever: Set<DeviceID>, statements: Set<Statement>) {
        let added = Self.added(by: statements)
        var members = ever
        for case .remove(let gone, let stays) in statements.map(\.kind) {
            members.formIntersection(Self.reached(from: stays.subtracting([gone]), by: added, without: gone))
            members.remove(gone)
        }
        self.members = members
    }

    /// Whom each device has taken in, itself left out.
    static func added(by statements: Set<Statement>) -> [DeviceID: Set<DeviceID>] {
        var added: [DeviceID: Set<DeviceID>] = [:]
        for statement in statements where !statement.isOwnNaming {
            guard let member = statement.added else { continue }
            added[statement.signer, default: []].insert(member.keys.id)
        }
        return added
    }

    /// Whom devices have taken in, directly and through those, other than through one device.
    static func reached(
        from seeds: Set<DeviceID>, by added: [DeviceID: Set<DeviceID>], without gone: DeviceID? = nil
    ) -> Set<DeviceID> {
        Set(steps(from: seeds, by: added, without: gone.map { [$0] } ?? []).keys)
    }

    /// Whom devices have taken in, directly and through those, with the number of Adds that lead
    /// there at the least.
    static func steps(
        from seeds: Set<DeviceID>, by added: [DeviceID: Set<DeviceID>], without left: Set<DeviceID> = []
    ) -> [DeviceID: Int] {
        var steps = Dictionary(uniqueKeysWithValues: seeds.map { ($0, 0) })
        var (count, frontier) = (0, seeds)
        while !frontier.isEmpty {
            count += 1
            let next = frontier.reduce(into: Set()) { $0.formUnion(added[$1] ?? []) }
            frontier = next.filter { steps[$0] == nil && !left.contains($0) }
            for device in frontier { steps[device] = count }
        }
        return steps
    }
}
