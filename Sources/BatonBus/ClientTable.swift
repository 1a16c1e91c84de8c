// SPDX-License-Identifier: Apache-2.0

/// Which clients are known, and how many of their calls are being answered: a client's departure is reported once, when
/// the last of its calls has ended.
struct ClientTable {
    private struct Entry {
        var calls = 0
        var hasLeft = false
    }

    private var clients: [ClientID: Entry] = [:]

    /// Notes a call.
    mutating func begin(_ client: ClientID) { clients[client, default: Entry()].calls += 1 }

    /// Notes the end of a call; true when the client has left meanwhile and this was its last.
    mutating func end(_ client: ClientID) -> Bool {
        clients[client]?.calls -= 1
        return removeIfGone(client)
    }

    /// Notes a departure; true when a known client left that has no calls.
    mutating func leave(_ client: ClientID) -> Bool {
        clients[client]?.hasLeft = true
        return removeIfGone(client)
    }

    private mutating func removeIfGone(_ client: ClientID) -> Bool {
        guard let entry = clients[client], entry.hasLeft, entry.calls == 0 else { return false }
        clients[client] = nil
        return true
    }
}
