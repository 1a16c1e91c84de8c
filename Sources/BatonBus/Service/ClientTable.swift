// SPDX-License-Identifier: Apache-2.0

/// The known clients, their rights, and the number of their running calls.
///
/// A client's departure is reported once, after the last of its calls has ended.
struct ClientTable {
    private struct Entry {
        var calls = 0
        var hasLeft = false
        var admission: Admission?
        /// Whether errors for the client have the code and the values of their reason.
        var isExplained = false
        /// The calls that wait to begin, or nil while no task begins them.
        var held: [HeldCall]?
    }

    private var clients: [ClientID: Entry] = [:]

    /// The number of known clients, for tests.
    var count: Int { clients.count }

    /// Records that a call has begun.
    mutating func begin(_ client: ClientID) { clients[client, default: Entry()].calls += 1 }

    /// The position of a call that was put into the queue.
    enum Held: Hashable {
        /// The call is the first, so the caller must begin the calls of the queue. The value
        /// contains the client's rights, or nil if the client must be admitted first.
        case first(Admission?)
        /// The call waits behind others, which another task begins.
        case behindOthers
    }

    /// Adds a call to the client's queue.
    mutating func hold(_ call: HeldCall, of client: ClientID) -> Held {
        var entry = clients[client] ?? Entry()
        let held = entry.held
        entry.held = (held ?? []) + [call]
        clients[client] = entry
        return held == nil ? .first(entry.admission) : .behindOthers
    }

    /// Removes and returns the client's waiting calls, which the caller must begin. If no call
    /// waits, records the client's rights, and the next call counts as the first again.
    mutating func take(_ client: ClientID, admitting admission: Admission) -> [HeldCall] {
        let calls = clients[client]?.held ?? []
        clients[client]?.held = calls.isEmpty ? nil : []
        if calls.isEmpty { clients[client]?.admission = admission }
        return calls
    }

    /// Adds reasons to the errors of a client until it leaves.
    mutating func explain(_ client: ClientID) { clients[client]?.isExplained = true }

    /// Returns whether errors for a client have reasons.
    func isExplained(_ client: ClientID) -> Bool { clients[client]?.isExplained ?? false }

    /// Removes and returns the client's waiting calls, which the caller must refuse. The next call
    /// asks again whether the client is admitted.
    mutating func dismiss(_ client: ClientID) -> [HeldCall] {
        defer { clients[client]?.held = nil }
        return clients[client]?.held ?? []
    }

    /// Records the end of a call. Returns true if the client has left meanwhile and this was its
    /// last call.
    mutating func end(_ client: ClientID) -> Bool {
        clients[client]?.calls -= 1
        return removeIfGone(client)
    }

    /// Records a departure. Returns true if the client was known and has no running calls.
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
