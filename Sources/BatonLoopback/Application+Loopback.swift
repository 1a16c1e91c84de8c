// SPDX-License-Identifier: Apache-2.0

public import Baton
public import UserActivity

extension Application {
    /// Continues an offer of another app in a ``Loopback``.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - app: This app in the loopback.
    /// - Returns: The activity, or nil if the app did not take it over.
    @discardableResult
    public func continueOffer(_ offer: LoopbackOffer, as app: LoopbackApp) async -> UserActivity? {
        await continueActivity(ofType: offer.activityType) { try await app.continueOffer(offer) }
    }
}
