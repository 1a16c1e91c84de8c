// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import DesktopEntries

/// The offers, and who continues them.
extension Desktop {
    /// The offers that programs have been told of, by their identifiers.
    public var offers: [String: OfferSummary] { known.summaries }

    /// An offer appeared, or changed.
    ///
    /// - Returns: The offer with the app that would continue it.
    public func offered(_ offer: OfferSummary) async -> OfferSummary {
        await askSession()
        // From here on nothing may come in between.
        let activity = await host.activity(of: offer.offer)
        let offer = decorated(offer)
        // It has gone by now, and its end is told next.
        guard let activity else { return offer }
        known.appeared(offer, of: activity)
        refresh(offer)
        tellPanel()
        return offer
    }

    /// An offer is gone.
    public func withdrawn(_ offer: String) {
        if let summary = known[offer] { environment.board.carryOut(plan.withdrawn(summary)) }
        known.withdrawn(offer)
        nearRules.withdrawn(offer)
        tellPanel()
    }

    /// The offer with the app that would continue it.
    public func decorated(_ offer: OfferSummary) -> OfferSummary {
        var offer = offer
        offer.application = application(for: offer)?.identifier
        offer.isHidden = action(for: offer) == .never
        return offer
    }

    /// The app that continues an offer unless the user wants another; nil for the browser, or none.
    func application(for offer: OfferSummary) -> DesktopEntry? {
        guard let type = offer.type, let best = applications(for: offer).first else { return nil }
        return offer.hasWebpage && choice.isForBrowser(type: type, best: best, in: index) ? nil : best
    }

    func applications(for offer: OfferSummary) -> [DesktopEntry] {
        guard let type = offer.type, let team = offer.team else { return [] }
        return choice.candidates(type: type, team: team, title: offer.title, in: index)
    }

    private var choice: AppChoice { AppChoice(defaults: settings.defaultApps) }

    func action(for offer: OfferSummary) -> Rule.Action {
        settings.action(
            type: offer.type ?? "", app: offer.application, device: offer.device, named: offer.deviceName)
    }
}
