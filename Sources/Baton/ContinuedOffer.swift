// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// An activity that was fetched, from whatever host, and that this app has yet to accept or
/// decline.
public protocol ContinuedOffer: Sendable {
    /// What was handed over.
    var activity: UserActivity { get }

    /// Takes the activity over: the app that it came from is told that it was continued.
    func accept() async throws

    /// Declines the activity: for the app that it came from nothing has happened.
    func decline() async throws
}

extension Continuation: ContinuedOffer {}
