// SPDX-License-Identifier: Apache-2.0

/// Who vouches for whom, by Adds alone.
extension Roster {
    /// The members for whom nobody vouches but by way of one device, directly or through others,
    /// be these members still or not: whoever had its keys may have taken them in.
    ///
    /// The Adds of devices that another has removed vouch for nobody.
    ///
    /// - Parameter own: The device that asks, which vouches for itself, as does the founder.
    public func members(vouchedForOnlyBy device: DeviceID, besides own: DeviceID) -> Set<DeviceID> {
        vouching(besides: own).reached(onlyBy: device).intersection(members.keys)
    }

    /// To whose account goes what a member costs, if not to its own: a device can take in others
    /// without end, and is not to have the limits of each.
    ///
    /// Those that this device or the founder has taken in have accounts of their own. The others
    /// have that of the one by way of which they came in: of several one that is still a member,
    /// then the one by the fewest Adds, then the one with the smallest id. Where it has gone, one
    /// of those that it took in has the account of all.
    ///
    /// - Parameter own: The device that counts.
    public func accounts(besides own: DeviceID) -> [DeviceID: DeviceID] {
        let added = Membership.added(by: statements)
        let roots = Set([own, founder].compactMap(\.self))
        let holders = roots.reduce(into: roots) { $0.formUnion(added[$1] ?? []) }
        var nearest: [DeviceID: (holder: DeviceID, distance: (Int, Int))] = [:]
        for holder in holders.subtracting(roots).sorted() {
            for (device, steps) in Membership.steps(from: [holder], by: added, without: holders.subtracting([holder])) {
                let distance = (members[holder] == nil ? 1 : 0, steps)
                guard steps > 0, members[device] != nil, nearest[device].map({ distance < $0.distance }) ?? true
                else { continue }
                nearest[device] = (holder, distance)
            }
        }
        let groups = Dictionary(grouping: nearest.keys) { nearest[$0]?.holder }
        return nearest.mapValues { members[$0.holder] != nil ? $0.holder : groups[$0.holder]?.min() ?? $0.holder }
    }

    private func vouching(besides own: DeviceID) -> Vouching {
        let removed = Set(statements.filter { $0.gone != $0.signer }.compactMap(\.gone))
        return Vouching(
            taken: Membership.added(by: statements), removed: removed, roots: Set([own, founder].compactMap(\.self)))
    }
}

/// Whom devices have taken in.
private struct Vouching {
    let taken: [DeviceID: Set<DeviceID>]
    /// Those that another has removed.
    let removed: Set<DeviceID>
    /// Those that vouch for themselves.
    let roots: Set<DeviceID>

    /// Who came in by way of a device, and not by any other.
    func reached(onlyBy device: DeviceID) -> Set<DeviceID> {
        let trusted = taken.filter { !removed.contains($0.key) && $0.key != device }
        let others = Membership.reached(from: roots.subtracting([device]), by: trusted, without: device)
        return Membership.reached(from: [device], by: taken).subtracting(others).subtracting([device])
    }
}
