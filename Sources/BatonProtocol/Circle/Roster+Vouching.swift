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

    /// To whose account goes what each member costs: its own, or that of the device by way of which
    /// alone it came in. A device can take in others without end, and is not to have the limits of
    /// each. Where that device has gone, one of the others has the account of all.
    ///
    /// - Parameter own: The device that counts.
    public func accounts(besides own: DeviceID) -> [DeviceID: DeviceID] {
        let vouching = vouching(besides: own)
        let groups = vouching.taken.keys.filter { !vouching.roots.contains($0) }.map {
            (device: $0, others: vouching.reached(onlyBy: $0))
        }
        var accounts: [DeviceID: DeviceID] = [:]
        // Of several the one by way of which the others came in, too, has the largest group.
        for group in groups.sorted(by: { $0.others.count < $1.others.count }) {
            let others = group.others.filter { members[$0] != nil }
            guard let account = members[group.device] != nil ? group.device : others.min() else { continue }
            for other in others { accounts[other] = account }
        }
        return accounts
    }

    private func vouching(besides own: DeviceID) -> Vouching {
        var taken: [DeviceID: Set<DeviceID>] = [:]
        var removed: Set<DeviceID> = []
        for statement in statements where !statement.isOwnNaming {
            if let added = statement.added { taken[statement.signer, default: []].insert(added.keys.id) }
            if let gone = statement.gone, gone != statement.signer { removed.insert(gone) }
        }
        let founder = ever.keys.first { CircleID(founder: $0) == circle }
        return Vouching(taken: taken, removed: removed, roots: Set([own, founder].compactMap(\.self)))
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
