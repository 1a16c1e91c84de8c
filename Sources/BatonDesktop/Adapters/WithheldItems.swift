// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What adapters' apps have open that is not offered: one thing of each adapter, the one that it
/// told last.
struct WithheldItems: Sendable {
    private struct Told {
        let client: ClientID
        let item: WithheldItem
    }

    /// By the adapter's id.
    private var told: [String: Told] = [:]

    /// An adapter says what is not offered; nil for nothing.
    mutating func set(_ item: WithheldItem?, of adapter: String, by client: ClientID) {
        told[adapter] = item.map { Told(client: client, item: $0) }
    }

    /// A program has gone, and what it told with it.
    ///
    /// - Returns: Whether it had told anything.
    mutating func leave(_ client: ClientID) -> Bool {
        let before = told.count
        told = told.filter { $0.value.client != client }
        return told.count != before
    }

    /// Those of the adapters that count, in their order.
    func all(of active: [String]) -> [WithheldItem] { active.compactMap { told[$0]?.item } }

    /// How many are kept.
    var count: Int { told.count }
}
