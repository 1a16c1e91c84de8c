// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// The types that activity hashes stand for: those of this device's apps, and those that devices
/// told.
///
/// Of what devices told, at most ``OfferLimits/types`` entries are kept. When there is one too
/// many, the device with the most entries loses its oldest. So a member that tells many types
/// pushes out its own, and no other's.
struct LearntTypes: Sendable {
    private var own: [ActivityHash: ActivityKind] = [:]
    private var told: [UInt32: ToldTypes] = [:]

    /// How many entries are kept of what devices told.
    var count: Int { told.values.reduce(0) { $0 + $1.count } }

    /// What a hash stands for here, or by a device's own word.
    func kind(of hash: ActivityHash, toldBy device: UInt32) -> ActivityKind? { own[hash] ?? told[device]?[hash] }

    /// What a hash stands for by any device's word.
    func kind(of hash: ActivityHash) -> ActivityKind? { told.values.lazy.compactMap { $0[hash] }.first }

    /// A device told types; the first of them are kept the longest.
    mutating func add(_ table: [OfferBook.TypeEntry], from device: UInt32) {
        let table = table.filter { $0.activity != .none && $0.kind.isWithinLimits }
        guard !table.isEmpty else { return }
        told[device, default: ToldTypes()].add(table)
        while count > OfferLimits.types,
            let most = told.max(by: { ($0.value.count, $0.key) < ($1.value.count, $1.key) })?.key
        {
            told[most]?.removeOldest()
        }
    }

    /// This device's apps have other types now. It remembers the former ones as if it had been told
    /// them: another device may go on with such an activity.
    mutating func replaceOwn(_ table: [OfferBook.TypeEntry], of device: UInt32) {
        let new = Dictionary(table.map { ($0.activity, $0.kind) }) { first, _ in first }
        let former = own.filter { new[$0.key] == nil }
        own = new
        add(former.map { OfferBook.TypeEntry(activity: $0.key, kind: $0.value) }, from: device)
    }

    /// Forgets the types told by devices that are no longer members.
    mutating func keep(_ members: Set<UInt32>) { told = told.filter { members.contains($0.key) } }
}

/// The types that one device told.
private struct ToldTypes: Sendable {
    private var kinds: [ActivityHash: ActivityKind] = [:]
    /// The one that was told the longest ago first.
    private var order: [ActivityHash] = []

    var count: Int { order.count }

    subscript(hash: ActivityHash) -> ActivityKind? { kinds[hash] }

    /// The first entries become the newest.
    mutating func add(_ table: [OfferBook.TypeEntry]) {
        let new = Dictionary(table.map { ($0.activity, $0.kind) }) { first, _ in first }
        order.removeAll { new[$0] != nil }
        kinds.merge(new) { $1 }
        var added: Set<ActivityHash> = []
        order += table.map(\.activity).filter { added.insert($0).inserted }.reversed()
    }

    mutating func removeOldest() { kinds[order.removeFirst()] = nil }
}

extension ActivityKind {
    fileprivate var isWithinLimits: Bool {
        (1...ActivityState.maximumIdentifierLength).contains(type.utf8.count)
            && team.utf8.count <= ActivityState.maximumIdentifierLength
    }
}
