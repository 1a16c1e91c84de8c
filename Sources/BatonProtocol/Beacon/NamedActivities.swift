// SPDX-License-Identifier: Apache-2.0

/// The hashes that each device has named in its hellos, inside TLS.
///
/// Any member can make a beacon that names another device. So an offer is shown only if the device
/// itself has named the activity's hash. A device names its own activities alone, and so fills
/// nobody's room but its own.
struct NamedActivities: Sendable {
    private var hashes: [UInt32: [ActivityHash]] = [:]

    /// How many there are.
    var count: Int { hashes.values.reduce(0) { $0 + $1.count } }

    /// Whether a device has named a hash.
    func contains(_ activity: ActivityHash, of device: UInt32) -> Bool {
        hashes[device]?.contains(activity) ?? false
    }

    /// A device names hashes; the first of them are remembered the longest. Of more than
    /// ``OfferLimits/namedActivities`` those go that were named the longest ago.
    mutating func add(_ named: [ActivityHash], of device: UInt32) {
        guard !named.isEmpty else { return }
        var new: Set<ActivityHash> = []
        let first = named.filter { new.insert($0).inserted }
        let others = (hashes[device] ?? []).filter { !new.contains($0) }
        hashes[device] = (others + first.reversed()).suffix(OfferLimits.namedActivities)
    }

    /// Forgets devices.
    mutating func keep(where isKept: (UInt32) -> Bool) { hashes = hashes.filter { isKept($0.key) } }
}
