// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A file descriptor with one owner: closed exactly once, by whoever holds it last, unless it was
/// taken.
public final class OwnedDescriptor: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Takes a descriptor over.
    public init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

    deinit { if let descriptor = take() { close(descriptor) } }

    /// Hands the descriptor over to the caller, who closes it; nil when it was taken before.
    public func take() -> Int32? {
        descriptor.withLock { held in
            defer { held = nil }
            return held
        }
    }

    /// Whether nobody has taken it yet.
    var isHeld: Bool { descriptor.withLock { $0 != nil } }

    /// Two connected Unix stream sockets.
    static func pair() throws -> (OwnedDescriptor, OwnedDescriptor) {
        var descriptors: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &descriptors) == 0 else {
            throw ServiceError(.limitReached, "no socket for the streams: \(String(cString: strerror(errno)))")
        }
        return (OwnedDescriptor(descriptors[0]), OwnedDescriptor(descriptors[1]))
    }
}
