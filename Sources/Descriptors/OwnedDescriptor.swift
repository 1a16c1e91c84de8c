// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A file descriptor with one owner, closed exactly once: by ``close()``, or when the last
/// reference goes, unless ``take()`` handed it over before.
public final class OwnedDescriptor: Sendable {
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

    /// Two connected Unix stream sockets, close-on-exec; nil where there are no descriptors left,
    /// which `errno` tells.
    public static func socketPair() -> (OwnedDescriptor, OwnedDescriptor)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        return (OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// Whether it was neither closed nor taken yet.
    public var isHeld: Bool { withDescriptor { $0 != nil } }

    /// Runs a closure on the descriptor while it is certain to stay open; it gets `nil` after a
    /// close or a take.
    public func withDescriptor<Result>(_ body: (Int32?) throws -> Result) rethrows -> Result {
        try descriptor.withLock { try body($0) }
    }
}

extension OwnedDescriptor: Hashable {
    /// Two are equal when they are the same object.
    public static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }

    /// By identity, as equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
