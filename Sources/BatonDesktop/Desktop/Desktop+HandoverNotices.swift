// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DesktopEntries
import Logging

/// What the user is told of hand-overs where the app does not. `notifications = off` is about
/// offers: of what the user has chosen, by a click or by a rule, there is word all the same.
extension Desktop: HandoverNotices {
    /// Tells everyone on the bus.
    public func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async {
        guard openings[coming.offer] != nil else { return }
        await host.tellProgress(
            OfferProgress(offer: coming.offer, phase: phase, opened: receivingApp(coming.offer)))
    }

    /// Shows that the activity is on its way.
    public func began(_ coming: ComingActivity, by app: DesktopEntry) {
        show(.progress(coming, app), .progress(coming.offer))
    }

    /// Takes that away.
    public func ended(_ coming: ComingActivity) { withdrawNotice(.progress(coming.offer)) }

    /// Shows why the activity does not come.
    public func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) {
        logger.notice(
            "\(app.identifier) did not continue \(coming.type): \(error)",
            metadata: Self.caused(byOffer: coming.offer))
        show(.failure(from: coming.deviceName, app, error.message), .failure(coming.offer))
    }

    /// Tells the user why an offer is not continued; what the user gave up is no news.
    ///
    /// - Parameter known: The offer; nil when it has gone.
    func tellUser(_ offer: String, of known: OfferSummary?, _ app: DesktopEntry?, _ error: BatonError) {
        logger.notice("\(offer) was not continued: \(error)", metadata: Self.caused(byOffer: offer))
        guard error.code != .userCancelled else { return }
        show(.failure(from: known?.deviceName, app, error.message), .failure(offer))
    }

    /// What a line of the log says of who can cause it: an offer's name begins with its device's
    /// id.
    static func caused(byOffer offer: String) -> Logger.Metadata {
        [LogMetadata.cause: "\(offer.prefix { $0 != "-" })"]
    }

    func show(_ notice: HandoverNotice, _ key: NotificationKey) {
        environment.board.carryOut(plan.tell(notice, key, in: style))
    }

    func withdrawNotice(_ key: NotificationKey) { environment.board.carryOut(plan.withdraw(key)) }
}
