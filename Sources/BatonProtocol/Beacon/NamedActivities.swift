// SPDX-License-Identifier: Apache-2.0

/// The activity hashes that each device has named in its hellos, inside TLS.
///
/// Any member can forge a beacon of another device. An offer is therefore shown only if the device
/// itself has named the activity's hash. The hashes that one device names never displace those of
/// another device.
struct NamedActivities: Sendable {
    private var hashes: [UInt32: [ActivityHash]] = [:]

    var count: Int { hashes.values.reduce(0) { $0 + $1.count } }

    /// Returns whether a device has named a hash.
    func contains(_ activity: ActivityHash, of device: UInt32) -> Bool {
        hashes[device]?.contains(activity) ?? false
    }

    /// Adds the hashes that a device named. The first hashes are remembered the longest.
    ///
    /// Beyond ``OfferLimits/namedActivities``, the hashes that were named the longest ago are
    /// forgotten.
    mutating func add(_ named: [ActivityHash], of device: UInt32) {
        guard !named.isEmpty else { return }
        var new: Set<ActivityHash> = []
        let first = named.filter { new.insert($0).inserted }
        let others = (hashes[device] ?? []).filter { !new.contains($0) }
        hashes[device] = (others + first.reversed()).suffix(OfferLimits.namedActivities)
    }

    /// Forgets the devices that the closure rejects.
    mutating func keep(where isKept: (UInt32) -> Bool) { hashes = hashes.filter { isKept($0.key) } }
}
