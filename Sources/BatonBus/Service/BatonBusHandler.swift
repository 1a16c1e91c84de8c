// SPDX-License-Identifier: Apache-2.0

/// What the daemon does when it is asked; ``BatonBusService`` calls it.
package protocol BatonBusHandler: Sendable {
    /// What answers the calls; read once.
    var router: BusRouter { get }
    /// Whether a client is served at all, and what it may do; asked once, before the first of its
    /// calls. What this throws each of them gets.
    func admit(_ client: ClientID) async throws -> Admission
    /// To whose account a client's calls go that was let in, its app's as a rule; nil for its own
    /// alone. All clients of an account share what one may do in a time.
    func account(of client: ClientID) async -> String?
    /// A client that had called left the bus. None of its calls is being answered any more, and
    /// none will follow.
    func clientLeft(_ client: ClientID) async
}
