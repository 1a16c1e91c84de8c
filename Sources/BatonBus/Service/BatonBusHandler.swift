// SPDX-License-Identifier: Apache-2.0

/// The daemon's answers to calls. ``BatonBusService`` calls it.
package protocol BatonBusHandler: Sendable {
    /// The routes that answer the calls. The service reads it once.
    var router: BusRouter { get }
    /// Returns the rights of a client, or throws to refuse it. The service asks once, before the
    /// client's first call. If this throws, all waiting calls get the error.
    func admit(_ client: ClientID) async throws -> Admission
    /// Returns the account to which an admitted client's calls are charged, usually its app, or nil
    /// for an account of its own. All clients of an account share one call rate.
    func account(of client: ClientID) async -> String?
    /// Learns that a client with calls has left the bus. All of its calls have ended, and none will
    /// follow.
    func clientLeft(_ client: ClientID) async
}
