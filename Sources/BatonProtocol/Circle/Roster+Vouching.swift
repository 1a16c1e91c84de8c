// SPDX-License-Identifier: Apache-2.0

/// Finds out which devices vouch for a member, from Adds only.
extension Roster {
    /// Returns the members that only one device vouches for, directly or through other devices.
    ///
    /// Anyone who has that one device's keys may have added all of these members. The devices in
    /// between need not be members any more. But the Adds of a device that another device has
    /// removed vouch for nobody.
    ///
    /// - Parameter own: This device, which vouches for itself, as the founder does.
    public func members(vouchedForOnlyBy device: DeviceID, besides own: DeviceID) -> Set<DeviceID> {
        vouching(besides: own).reached(onlyBy: device).intersection(members.keys)
    }

    /// Returns the device to whose account each member's costs are charged, if not to the member's
    /// own.
    ///
    /// A device can add any number of others, which must not multiply its limits. A member that
    /// this device or the founder has added has its own account. Every other member came in through
    /// one or several of these devices, and shares the account of one of them. A present member is
    /// preferred, then the one with the fewest Adds in between, then the one with the smallest id.
    /// If the chosen device has gone, one of the members that came in through it holds the account
    /// for all of them.
    ///
    /// - Parameter own: The device that counts the costs.
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

/// Finds the devices that came in through only one device.
private struct Vouching {
    let taken: [DeviceID: Set<DeviceID>]
    /// The devices that other devices have removed. Their Adds do not count.
    let removed: Set<DeviceID>
    /// The devices that vouch for themselves.
    let roots: Set<DeviceID>

    /// Returns the devices that came in through one device, and through no other.
    func reached(onlyBy device: DeviceID) -> Set<DeviceID> {
        let trusted = taken.filter { !removed.contains($0.key) && $0.key != device }
        let others = Membership.reached(from: roots.subtracting([device]), by: trusted, without: device)
        return Membership.reached(from: [device], by: taken).subtracting(others).subtracting([device])
    }
}
