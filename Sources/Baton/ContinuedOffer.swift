// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// An activity that was fetched from any host, and that this app must accept or decline.
public protocol ContinuedOffer: Sendable {
    /// The activity that was handed over.
    var activity: UserActivity { get }

    /// Takes the activity over, and tells the app that offered it.
    func accept() async throws

    /// Declines the activity. The app that offered it learns nothing.
    func decline() async throws
}

extension Continuation: ContinuedOffer {}
