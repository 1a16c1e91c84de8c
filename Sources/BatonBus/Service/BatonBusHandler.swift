// SPDX-License-Identifier: Apache-2.0

/// The daemon's answers to the calls that ``BatonBusService`` receives.
package protocol BatonBusHandler: Sendable {
    /// The routes that answer the calls. The service reads this property once.
    var router: BusRouter { get }
    /// Returns the rights of a client, or throws to refuse it. The service asks before the client's
    /// first call. If this throws, all waiting calls get the error, and the service asks again at
    /// the next call.
    func admit(_ client: ClientID) async throws -> Admission
    /// Returns the account to which an admitted client's calls are charged, usually its app, or
    /// nil. All clients of an account share one call rate. Without an account, the client only has
    /// its own rate.
    func account(of client: ClientID) async -> String?
    /// Called when a client that has made calls has left the bus. All of its calls have ended, and
    /// none will follow.
    func clientLeft(_ client: ClientID) async
}
