// SPDX-License-Identifier: Apache-2.0

/// The state of a link that both sides keep open.
struct LinkKeeping: Sendable {
    /// A ping that the peer has not answered yet.
    struct Check: Sendable {
        /// The uptime at which the peer's offer is withdrawn; nil after that.
        var doubt: Duration?
        /// The uptime at which the channel is closed.
        let end: Duration
        let begun: Duration
    }

    /// This device's current activity.
    var offer: LinkOffer?
    /// The offer that was last sent to the peer; nil if none was sent since both sides began to
    /// keep the link.
    var toldOffer: LinkOffer?
    /// The uptime at which the changed offer may be sent; nil if none waits.
    var offerDue: Duration?
    /// The uptime at which this side may send a whole burst of offers again.
    var offersRestored: Duration?
    /// The last offer of the peer; nil if it offers nothing.
    var peerOffer: LinkOffer?
    /// The uptime at which the peer may send a whole burst of offers again.
    var peerOffersRestored: Duration?
    /// The uptime of the peer's last sign of life.
    var lastHeard = Duration.zero
    var check: Check?
    /// The number of checks that have begun. Their request ids count down from the highest number,
    /// so that no other request has the same id.
    var checks: UInt64 = 0
    /// Whether somebody waits for the confirmation of the peer's offer.
    var isAwaited = false
    /// Whether the link was kept after the last event.
    var wasKept = false

    /// The peer's offer, unless the peer has not answered a check in time.
    var shownOffer: LinkOffer? { check.map { $0.doubt != nil } ?? true ? peerOffer : nil }
}

/// Handles a link that both sides keep: its offers, and the checks that the peer still answers.
extension Session {
    /// Whether both sides keep this link open while nothing is requested.
    public var isKept: Bool {
        phase == .ready && draining == nil && hello.keepsLink && peerHello?.keepsLink == true
    }

    /// The peer's offer over this link; `nil` if there is none, or if the peer does not answer.
    public var peerOffer: LinkOffer? { isKept ? keeping.shownOffer : nil }

    /// The uptime at which the next step for a kept link or a check is due; nil if none is.
    var keepingDeadline: Duration? {
        let keepAlive = isKept && keeping.check == nil ? keeping.lastHeard + limits.keepAlive : nil
        return [keepAlive, keeping.offerDue, keeping.check?.doubt, keeping.check?.end].compactMap(\.self).min()
    }

    mutating func change(keepsLink: Bool) -> [Action] {
        guard hello.keepsLink != keepsLink else { return [] }
        hello.keepsLink = keepsLink
        return change(hello)
    }

    /// Pings the peer, unless a ping is already under way.
    mutating func check(at now: Duration) -> [Action] {
        guard phase == .ready, draining == nil, keeping.check == nil, localRequests.count < limits.requests else {
            return []
        }
        let id = UInt64.max - keeping.checks
        keeping.checks += 1
        // Any frame from the peer answers a check, so nobody waits for the reply itself.
        localRequests[id] = .abandoned(.activity)
        keeping.check = .init(doubt: now + limits.doubt, end: now + limits.certainty, begun: now)
        return [.send(.continueRequest(ContinueRequest(id: id, activity: ActivityHash.none.bytes)))]
    }

    mutating func confirmOffer(at now: Duration) -> [Action] {
        let isTrusted = keeping.lastHeard + limits.offerTrust > now
        let actions = isTrusted || peerOffer == nil ? [] : check(at: now)
        guard keeping.check?.doubt != nil else { return actions + [.offerConfirmed] }
        keeping.isAwaited = true
        return actions
    }

    /// Records a sign of life of the peer, which answers a check.
    mutating func heard(at uptime: Duration) -> [Action] {
        keeping.lastHeard = max(keeping.lastHeard, uptime)
        guard let check = keeping.check, uptime >= check.begun else { return [] }
        keeping.check = nil
        let isBack = check.doubt == nil && peerOffer != nil
        return (isBack ? [.offer(peerOffer)] : []) + confirmed()
    }

    private mutating func confirmed() -> [Action] {
        guard keeping.isAwaited else { return [] }
        keeping.isAwaited = false
        return [.offerConfirmed]
    }

    mutating func receive(_ offer: LinkOffer, at now: Duration) -> [Action] {
        let turn = limits.peerOffers.next(after: keeping.peerOffersRestored, at: now)
        guard turn.due <= now else { return close(.tooManyOffers) }
        keeping.peerOffersRestored = turn.restored
        // Perhaps the peer does not know yet that this side does not keep the link any more.
        guard isKept else { return [] }
        let new = offer.activity == nil ? nil : offer
        guard new != keeping.peerOffer else { return [] }
        keeping.peerOffer = new
        return [.offer(new)]
    }

    /// Updates whether the link is kept, and returns the resulting actions, such as an offer that
    /// is due.
    mutating func keptLinkActions(at now: Duration) -> [Action] {
        var actions: [Action] = []
        if keeping.wasKept, !isKept { actions = endKeeping() }
        keeping.wasKept = isKept
        return actions + tellOffer(at: now)
    }

    private mutating func tellOffer(at now: Duration) -> [Action] {
        keeping.offerDue = nil
        let isNews = keeping.offer != keeping.toldOffer && (keeping.toldOffer != nil || keeping.offer?.activity != nil)
        guard isKept, isNews, let offer = keeping.offer, isNamed(offer) else { return [] }
        let turn = limits.offers.next(after: keeping.offersRestored, at: now)
        guard turn.due <= now else {
            keeping.offerDue = turn.due
            return []
        }
        (keeping.toldOffer, keeping.offersRestored) = (offer, turn.restored)
        return [.send(.offer(offer))]
    }

    /// Returns whether the last hello named an offer's activity, so that the peer can know its
    /// type.
    private func isNamed(_ offer: LinkOffer) -> Bool { offer.activity == nil || offer.activity == hello.activity }

    mutating func keepingExpired(at now: Duration) -> [Action] {
        guard let check = keeping.check else {
            guard isKept, keeping.lastHeard + limits.keepAlive <= now else { return [] }
            let actions = self.check(at: now)
            // A peer that has left so many requests unanswered may never answer again.
            return keeping.check == nil ? close(.silent) : actions
        }
        if check.end <= now { return close(.silent) }
        guard let doubt = check.doubt, doubt <= now else { return [] }
        let hadOffer = peerOffer != nil
        keeping.check?.doubt = nil
        return (hadOffer ? [.offer(nil)] : []) + confirmed()
    }

    /// Forgets the offers of both sides, because the link is not kept any more or has ended.
    mutating func endKeeping() -> [Action] {
        let hadOffer = keeping.shownOffer != nil
        (keeping.peerOffer, keeping.toldOffer, keeping.offerDue) = (nil, nil, nil)
        if phase == .closed { keeping.check = nil }
        return (hadOffer ? [.offer(nil)] : []) + confirmed()
    }
}
