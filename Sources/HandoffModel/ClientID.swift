// SPDX-License-Identifier: Apache-2.0

/// A program that uses the daemon: one connection to the bus.
public struct ClientID: Hashable, Sendable, CustomStringConvertible {
    /// The connection's unique name, such as `:1.42`.
    public var rawValue: String

    /// The client with this unique name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The connection's unique name.
    public var description: String { rawValue }
}
