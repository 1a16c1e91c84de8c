// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// The items that adapters' apps have open and that are not offered. Each adapter has one item, the
/// latest that it reported.
struct WithheldItems: Sendable {
    private struct Told {
        let client: ClientID
        let item: WithheldItem
    }

    /// The reported items, by the adapter's id.
    private var told: [String: Told] = [:]

    /// Sets an adapter's item, or removes it if the item is nil.
    mutating func set(_ item: WithheldItem?, of adapter: String, by client: ClientID) {
        told[adapter] = item.map { Told(client: client, item: $0) }
    }

    /// Removes the item of a program that has left the bus.
    ///
    /// - Returns: Whether there was such an item.
    mutating func leave(_ client: ClientID) -> Bool {
        let before = told.count
        told = told.filter { $0.value.client != client }
        return told.count != before
    }

    /// Returns the items of the active adapters, in the order of the given ids.
    func all(of active: [String]) -> [WithheldItem] { active.compactMap { told[$0]?.item } }

    var count: Int { told.count }
}
