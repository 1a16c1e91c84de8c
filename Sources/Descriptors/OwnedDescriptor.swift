// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A file descriptor with one owner, which is closed exactly once.
///
/// ``close()`` or the release of this object closes it, unless ``take()`` gave it away before.
public final class OwnedDescriptor: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Takes ownership of an open descriptor.
    public init(adopting descriptor: Int32) {
        self.descriptor = Mutex(descriptor >= 0 ? descriptor : nil)
    }

    deinit { close() }

    /// Returns the descriptor, or `nil` if it was closed or taken before. The caller must close it.
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

    /// Returns two connected Unix stream sockets, close-on-exec. Returns `nil` and sets `errno` if
    /// there are no descriptors left.
    public static func socketPair() -> (OwnedDescriptor, OwnedDescriptor)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        return (OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// Whether the descriptor is neither closed nor taken.
    public var isHeld: Bool { withDescriptor { $0 != nil } }

    /// Calls a closure with the descriptor, or with `nil` if it was closed or taken. The descriptor
    /// stays open until the closure returns.
    public func withDescriptor<Result>(_ body: (Int32?) throws -> Result) rethrows -> Result {
        try descriptor.withLock { try body($0) }
    }
}

extension OwnedDescriptor: Hashable {
    /// Compares identities: two values are equal if they are the same object.
    public static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
