// SPDX-License-Identifier: Apache-2.0

/// A program that uses the daemon, identified by its connection to the bus.
public struct ClientID: Hashable, Sendable, CustomStringConvertible {
    /// The unique name of the connection, such as `:1.42`.
    public var rawValue: String

    /// Creates the id of the client with this unique name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The unique name of the connection.
    public var description: String { rawValue }
}
