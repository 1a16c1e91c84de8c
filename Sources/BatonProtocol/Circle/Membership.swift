// SPDX-License-Identifier: Apache-2.0

/// Calculates a circle's members from its statements, whatever the order of the statements.
///
/// *Ever* is the set of all devices that a chain of Adds connects to the founder. A removal by any
/// of these devices is permanent, and can only make the circle smaller. The removal excludes the
/// device `gone`. Another device remains only if a chain of Adds connects it to a device in `stays`
/// without passing through `gone`. Source: `Documentation/Protocol/Circle.md`, "Roster".
struct Membership {
    let members: Set<DeviceID>

    /// Calculates the members from all devices and statements of a circle.
    ///
    /// - Parameters:
    ///   - ever: The founder and all devices that it reaches through Adds.
    ///   - statements: Statements that devices in `ever` have signed.
    init(ever: Set<DeviceID>, statements: Set<Statement>) {
        let added = Self.added(by: statements)
        var members = ever
        for case .remove(let gone, let stays) in statements.map(\.kind) {
            members.formIntersection(Self.reached(from: stays.subtracting([gone]), by: added, without: gone))
            members.remove(gone)
        }
        self.members = members
    }

    /// Returns the devices that each device has added, not counting itself.
    static func added(by statements: Set<Statement>) -> [DeviceID: Set<DeviceID>] {
        var added: [DeviceID: Set<DeviceID>] = [:]
        for statement in statements where !statement.isOwnNaming {
            guard let member = statement.added else { continue }
            added[statement.signer, default: []].insert(member.keys.id)
        }
        return added
    }

    /// Returns the devices that a chain of Adds connects to `seeds` without passing through `gone`.
    static func reached(
        from seeds: Set<DeviceID>, by added: [DeviceID: Set<DeviceID>], without gone: DeviceID? = nil
    ) -> Set<DeviceID> {
        Set(steps(from: seeds, by: added, without: gone.map { [$0] } ?? []).keys)
    }

    /// Returns the devices that chains of Adds connect to some devices, each with the length of its
    /// shortest chain.
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
