// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// The types that activity hashes stand for, as this device's apps and other devices named them.
///
/// At most ``OfferLimits/types`` entries from devices are kept. If there are more entries, the
/// device with the most entries loses its oldest entry, so a member that names many types displaces
/// only its own.
struct LearntTypes: Sendable {
    private var own: [ActivityHash: ActivityKind] = [:]
    private var told: [UInt32: ToldTypes] = [:]

    /// The number of entries from devices.
    var count: Int { told.values.reduce(0) { $0 + $1.count } }

    /// Returns the kind that a hash stands for, as named by this device's apps or by the given
    /// device.
    func kind(of hash: ActivityHash, toldBy device: UInt32) -> ActivityKind? { own[hash] ?? told[device]?[hash] }

    /// Returns the kind that a hash stands for, as named by any device.
    func kind(of hash: ActivityHash) -> ActivityKind? { told.values.lazy.compactMap { $0[hash] }.first }

    /// Adds the types that a device named. The first types in the table are kept the longest.
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

    /// Replaces the types of this device's apps.
    ///
    /// If this device's apps no longer have a type, the type is kept as one that this device named.
    /// Another device may still offer an activity of this type.
    mutating func replaceOwn(_ table: [OfferBook.TypeEntry], of device: UInt32) {
        let new = Dictionary(table.map { ($0.activity, $0.kind) }) { first, _ in first }
        let former = own.filter { new[$0.key] == nil }
        own = new
        add(former.map { OfferBook.TypeEntry(activity: $0.key, kind: $0.value) }, from: device)
    }

    /// Forgets the types from devices that are no longer members.
    mutating func keep(_ members: Set<UInt32>) { told = told.filter { members.contains($0.key) } }
}

/// The types that one device named.
private struct ToldTypes: Sendable {
    private var kinds: [ActivityHash: ActivityKind] = [:]
    /// The hashes in order; the first one was named the longest ago.
    private var order: [ActivityHash] = []

    var count: Int { order.count }

    subscript(hash: ActivityHash) -> ActivityKind? { kinds[hash] }

    /// Adds types. The first entries become the newest.
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
