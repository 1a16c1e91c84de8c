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
        var added: [DeviceID: Set<DeviceID>] = [:]
        var removals: [(gone: DeviceID, stays: Set<DeviceID>)] = []
        for statement in statements {
            switch statement.kind {
            case .add(let member, _, _): added[statement.signer, default: []].insert(member.keys.id)
            case .remove(let gone, let stays): removals.append((gone, stays))
            }
        }
        var members = ever
        for (gone, stays) in removals {
            members.formIntersection(Self.reached(from: stays.subtracting([gone]), by: added, without: gone))
        }
        self.members = members.subtracting(removals.map(\.gone))
    }

    /// Whom devices have taken in, directly and through those, other than through one device.
    static func reached(
        from seeds: Set<DeviceID>, by added: [DeviceID: Set<DeviceID>], without gone: DeviceID? = nil
    ) -> Set<DeviceID> {
        var reached = seeds
        var frontier = Array(seeds)
        while let signer = frontier.popLast() {
            for device in added[signer] ?? [] where device != gone && reached.insert(device).inserted {
                frontier.append(device)
            }
        }
        return reached
    }
}
