// SPDX-License-Identifier: Apache-2.0

public import Baton
public import UserActivity

extension Application {
    /// Continues what another app of a ``Loopback`` offers.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - app: This app there.
    /// - Returns: The activity, if the app took it over.
    @discardableResult
    public func continueOffer(_ offer: LoopbackOffer, as app: LoopbackApp) async -> UserActivity? {
        await continueActivity(ofType: offer.activityType) { try await app.continueOffer(offer) }
    }
}
