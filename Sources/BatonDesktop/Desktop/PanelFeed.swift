// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// Computes the state that panels show: the daemon's state or a pause, and the best offer.
struct PanelFeed: Sendable {
    /// The daemon's own state, which does not depend on the user's settings.
    var service = PanelStatus(state: .starting)
    private var bestOffer = BestOffer()
    private var withheld: [WithheldItem] = []
    /// The number of changes of ``withheld`` so far. The number is 0 until the first item.
    private var withheldNumber: UInt32 = 0
    /// The last state that was returned.
    private var told = PanelStatus(state: .starting)

    /// Returns the current state, or nil if it does not differ from the last one.
    ///
    /// - Parameters:
    ///   - pause: The current pause, or nil if there is none.
    ///   - offers: The offers that the user could continue here now.
    ///   - withheld: Items that apps here have open and that are not offered.
    mutating func next(pause: Pause?, offers: [OfferSummary], withheld: [WithheldItem]) -> PanelStatus? {
        if withheld != self.withheld {
            self.withheld = withheld
            withheldNumber &+= 1
        }
        let best = bestOffer.choose(among: offers)
        let isPaused = pause != nil && [.running, .noRadio].contains(service.state)
        let status = PanelStatus(
            state: isPaused ? .paused : service.state,
            reason: isPaused ? tr("Baton is paused.") : service.reason,
            pausedUntil: isPaused ? pause?.until : nil, bestOffer: offers.first { $0.offer == best },
            withheldNumber: withheldNumber)
        guard status != told else { return nil }
        told = status
        return status
    }
}
