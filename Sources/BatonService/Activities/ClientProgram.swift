// SPDX-License-Identifier: Apache-2.0

/// Who uses up what there is of something: an app that is known with all its connections, and else
/// each connection.
enum ClientProgram: Hashable, Sendable {
    case account(String)
    case connection(ClientID)

    /// - Parameter account: With whom the client shares what one program may have; nil for the
    ///   client alone.
    init(account: String?, client: ClientID) { self = account.map(Self.account) ?? .connection(client) }
}
