// SPDX-License-Identifier: Apache-2.0

/// Which clients are known, what they may do, and how many of their calls are being answered: a
/// client's departure is reported once, when the last of its calls has ended.
struct ClientTable {
    private struct Entry {
        var calls = 0
        var hasLeft = false
        var admission: Admission?
        /// What waits for its turn; nil while nobody gives turns.
        var held: [HeldCall]?
    }

    private var clients: [ClientID: Entry] = [:]

    /// How many are known; for tests.
    var count: Int { clients.count }

    /// Notes a call.
    mutating func begin(_ client: ClientID) { clients[client, default: Entry()].calls += 1 }

    /// What becomes of a call.
    enum Held: Hashable {
        /// It waits, and somebody has to give turns: to a client that is let in as it says, else
        /// after asking whether it is.
        case first(Admission?)
        /// It waits after others.
        case behindOthers
    }

    /// Keeps a call until it is its turn.
    mutating func hold(_ call: HeldCall, of client: ClientID) -> Held {
        var entry = clients[client] ?? Entry()
        let held = entry.held
        entry.held = (held ?? []) + [call]
        clients[client] = entry
        return held == nil ? .first(entry.admission) : .behindOthers
    }

    /// Takes the calls whose turn it is. When there are none any more the client is let in, and the
    /// next call is the first again.
    mutating func take(_ client: ClientID, admitting admission: Admission) -> [HeldCall] {
        let calls = clients[client]?.held ?? []
        clients[client]?.held = calls.isEmpty ? nil : []
        if calls.isEmpty { clients[client]?.admission = admission }
        return calls
    }

    /// Takes the calls that are to be refused. For the next it is asked again whether the client is
    /// let in.
    mutating func dismiss(_ client: ClientID) -> [HeldCall] {
        defer { clients[client]?.held = nil }
        return clients[client]?.held ?? []
    }

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
