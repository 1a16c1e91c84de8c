// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The descriptor of a stream pair's Unix socket: closed when the last reference goes, unless it
/// was taken.
public struct StreamDescriptor: Sendable {
    let wrapped: DBusFileDescriptor

    init(_ wrapped: DBusFileDescriptor) { self.wrapped = wrapped }

    /// Takes ownership of an open descriptor. Sending it over the bus sends a duplicate.
    public init(adopting descriptor: Int32) { wrapped = DBusFileDescriptor(adopting: descriptor) }

    /// Hands the descriptor to the caller, who must close it; `nil` when it was closed or taken
    /// before.
    public func take() -> Int32? { wrapped.take() }

    /// Closes the descriptor, unless it was closed or taken before.
    public func close() { wrapped.close() }
}
