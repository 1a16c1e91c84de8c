// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A thread that waits for the sockets of all streams in the process.
///
/// The thread uses poll(2), because each wait ends after one event. With epoll, every wait would
/// need a registration of its own.
///
/// - Note: `@unchecked Sendable`: `lock` guards the variables.
final class ReadinessPoller: @unchecked Sendable {
    /// Identifies a wait that has not ended.
    struct Token: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Wait {
        var descriptor: Int32
        var events: Int16
        var handler: @Sendable () -> Void
    }

    static let shared = ReadinessPoller()

    private let lock = NSLock()
    private var waits: [Token: Wait] = [:]
    private var next: UInt64 = 0
    /// The socket that wakes the thread when the waits have changed; nil before the thread exists.
    private var wakeEnd: Int32?

    /// Calls a handler once, on the poller's thread, when a descriptor is ready or has failed.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor, which must stay open until the handler was called, or the
    ///     wait was cancelled or forgotten.
    ///   - events: `POLLIN` or `POLLOUT`.
    ///   - handler: Called once. The handler must return soon.
    func wait(for descriptor: Int32, events: Int32, handler: @escaping @Sendable () -> Void) -> Token {
        lock.withLock {
            next += 1
            let token = Token(number: next)
            waits[token] = Wait(descriptor: descriptor, events: Int16(events), handler: handler)
            wake()
            return token
        }
    }

    /// Cancels a wait. The handler is not called afterwards, unless the poller has already begun to
    /// call it.
    func cancel(_ token: Token) {
        let wait = lock.withLock {
            let wait = waits.removeValue(forKey: token)
            if wait != nil { wake() }
            return wait
        }
        // Release the handler and its objects here, outside of the lock.
        withExtendedLifetime(wait) {}
    }

    /// Cancels all waits for a descriptor that is about to be closed.
    ///
    /// Otherwise the sleeping poll(2) would keep the socket open after its descriptor is closed.
    ///
    /// - Returns: The handlers of the cancelled waits, which the poller no longer calls.
    func forget(_ descriptor: Int32) -> [@Sendable () -> Void] {
        lock.withLock {
            let forgotten = waits.filter { $0.value.descriptor == descriptor }
            for token in forgotten.keys { waits[token] = nil }
            if !forgotten.isEmpty { wake() }
            return forgotten.values.map(\.handler)
        }
    }

    private func wake() {
        if let wakeEnd {
            var byte: UInt8 = 0
            _ = write(wakeEnd, &byte, 1)
            return
        }
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return }
        wakeEnd = ends[1]
        let readEnd = ends[0]
        let thread = Thread { self.run(readEnd) }
        thread.name = "baton-streams"
        thread.start()
    }

    private func run(_ readEnd: Int32) {
        while true {
            let current = lock.withLock { Array(waits) }
            var polled = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
            polled += current.map { pollfd(fd: $0.value.descriptor, events: $0.value.events, revents: 0) }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            if polled[0].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 256)
                while read(readEnd, &bytes, bytes.count) == bytes.count {}
            }
            for (index, wait) in current.enumerated() where polled[index + 1].revents != 0 {
                let handler = lock.withLock { waits.removeValue(forKey: wait.key)?.handler }
                handler?()
            }
        }
    }
}
