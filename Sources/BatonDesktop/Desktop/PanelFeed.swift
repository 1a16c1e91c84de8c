// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What panels are shown: the daemon's condition, or that Baton is paused, and the best offer.
struct PanelFeed {
    /// The condition of the daemon itself, whatever the user has decided.
    var service = PanelStatus(state: .starting)
    private var bestOffer = BestOffer()
    private var withheld: [WithheldItem] = []
    /// Another number for each change of ``withheld``; 0 as long as nothing was told.
    private var withheldNumber: UInt32 = 0
    /// What panels were told last.
    private var told = PanelStatus(state: .starting)
    private let sink: AsyncStream<PanelStatus>.Continuation

    /// A feed of nothing so far.
    ///
    /// - Parameter sink: Where each change goes.
    init(to sink: AsyncStream<PanelStatus>.Continuation) { self.sink = sink }

    /// Tells panels how things are, when that is not what they were told before.
    ///
    /// - Parameters:
    ///   - pause: The pause that is on; nil when there is none.
    ///   - offers: Those that the user could continue here, now.
    ///   - withheld: What apps here have open that is not offered.
    mutating func tell(pause: Pause?, offers: [OfferSummary], withheld: [WithheldItem]) {
        if withheld != self.withheld {
            self.withheld = withheld
            withheldNumber &+= 1
        }
        let best = bestOffer.choose(among: offers)
        let isPaused = pause != nil && [.running, .noRadio].contains(service.state)
        let status = PanelStatus(
            state: isPaused ? .paused : service.state,
            reason: isPaused ? "Baton is paused; 'baton resume' ends that" : service.reason,
            pausedUntil: isPaused ? pause?.until : nil, bestOffer: offers.first { $0.offer == best },
            withheldNumber: withheldNumber)
        guard status != told else { return }
        told = status
        sink.yield(status)
    }
}
