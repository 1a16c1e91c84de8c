// SPDX-License-Identifier: Apache-2.0

/// The program whose limits an activity or a stream counts against.
///
/// All connections of a known app count as one program. Each connection of an unknown app counts as
/// a program of its own.
enum ClientProgram: Hashable, Sendable {
    case account(String)
    case connection(ClientID)

    /// Creates the program to which a client belongs.
    ///
    /// - Parameter account: The account whose limits the client shares, or nil for the client
    ///   alone.
    init(account: String?, client: ClientID) { self = account.map(Self.account) ?? .connection(client) }
}
