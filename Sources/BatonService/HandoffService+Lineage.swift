// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import UserActivity

/// What this device gave away, and what it has open: neither is for a rule to continue.
extension HandoffService {
    /// Whether an offer's activity was given away by this device, or is open on it, as far as that can be told before it is fetched.
    ///
    /// What has gone through a third device shows only when it is fetched: ``ContinuedInformation/isFromHere``.
    public func isFromHere(_ offer: String) -> Bool {
        lineage.hasGiven(to: offer) || lineage.taken(from: offer).map(isOpen) ?? false
    }

    /// Whether an activity was given away by this device, or is open on it.
    func isFromHere(origin: [UInt8]) -> Bool { lineage.hasGiven(origin) || isOpen(origin) }

    private func isOpen(_ origin: [UInt8]) -> Bool { registry.all.contains { $0.origin == origin } }

    /// An app that keeps one activity for whatever is in it goes on in that with what it takes over: nothing is published anew then.
    func adoptOrigin(_ activity: String, client: ClientID) {
        guard let entry = try? registry.entry(activity, of: client),
            let origin = origin(of: entry.state.activityType, by: client)
        else { return }
        registry.adopt(origin, for: activity, of: client)
    }

    /// What an activity that a program publishes began as; nil for one that begins here.
    func origin(of type: String, by client: ClientID) -> [UInt8]? {
        let pending = continuations.values.lazy.filter { $0.client == client && !$0.isReported }.map(\.id)
        return lineage.origin(ofType: type, by: client, pending: pending, at: clock.uptime)
    }
}
