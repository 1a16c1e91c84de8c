// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A file descriptor that travels in a message: owned here, closed exactly once.
///
/// Sending a value duplicates the descriptor; receiving one gives a fresh, close-on-exec
/// descriptor. It is closed by ``close()``, or when the last reference goes, unless ``take()``
/// handed it over before.
public final class DBusFileDescriptor: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Takes ownership of an open descriptor.
    public init(adopting descriptor: Int32) {
        self.descriptor = Mutex(descriptor >= 0 ? descriptor : nil)
    }

    deinit { close() }

    /// Hands the descriptor to the caller, who must close it. `nil` when it was closed or taken
    /// before.
    public func take() -> Int32? {
        descriptor.withLock { current in
            defer { current = nil }
            return current
        }
    }

    /// Closes the descriptor, unless it was closed or taken before.
    public func close() {
        if let taken = take() { _ = Glibc.close(taken) }
    }

    /// Runs a closure on the descriptor while it is certain to stay open; it gets `nil` after a
    /// close or a take.
    public func withDescriptor<Result>(_ body: (Int32?) throws -> Result) rethrows -> Result {
        try descriptor.withLock { try body($0) }
    }
}

extension DBusFileDescriptor: Hashable {
    /// Two are equal when they are the same object.
    public static func == (left: DBusFileDescriptor, right: DBusFileDescriptor) -> Bool { left === right }

    /// By identity, as equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
