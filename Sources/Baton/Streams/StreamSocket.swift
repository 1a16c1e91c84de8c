// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Dispatch
import Foundation
import Glibc
import UserActivity

/// A pair of streams on one connected Unix socket. The two directions end independently.
///
/// The socket is closed when both directions are done. When a stream ends well, the daemon ends
/// only that direction of the socket. When a stream breaks, the daemon closes both directions. So
/// while this side still writes, the socket shows at end of file which of the two happened. Once
/// this side has stopped writing, both cases look the same, and `outcome` decides.
///
/// - Note: `@unchecked Sendable`: `condition` guards the variables.
final class StreamSocket: @unchecked Sendable {
    enum Readiness {
        case notYet
        case bytes
        /// The stream is at end of file, and it is not known yet whether it ended well or broke.
        case undecided
        case end
        case broken(any Error)
    }

    enum Transfer {
        case count(Int)
        case notYet
        case end
        case broken(any Error)
    }

    private enum Input {
        case open, undecided, ended, broken(any Error), done
    }

    /// A closure that returns when both sides have received everything, and throws if the streams
    /// broke.
    ///
    /// Without this closure, every end of file counts as a regular end of the stream.
    typealias Outcome = @Sendable () async throws -> Void

    /// A closure that hands the socket over after this side has closed both directions.
    ///
    /// The written bytes then arrive even if this program ends. `discards` says whether to drop
    /// bytes that still come in. If it is false, such bytes break the streams. The task's value
    /// says whether the socket was taken over.
    typealias Successor = @Sendable (_ end: OwnedDescriptor, _ discards: Bool) -> Task<Bool, Never>

    /// A closure that returns the progress of the streams, then each change of it.
    typealias Follow = @Sendable () async throws -> AsyncStream<StreamProgress>

    private enum Succession {
        case none, asked, refused
    }

    /// Follows the progress of the streams, or is nil if no program reports the progress.
    let follow: Follow?
    private let condition = NSCondition()
    private let outcome: Outcome?
    private let successor: Successor?
    private var succession = Succession.none
    private let poller: ReadinessPoller
    private var descriptor: Int32
    private var input = Input.open
    private var outputIsShut = false
    private var settled: [@Sendable () -> Void] = []
    private var wasRead = false
    /// Whether this side no longer reads.
    private var inputIsClosed = false
    /// Whether this side stopped reading in the middle, so that later bytes were lost.
    private var isCutShort = false

    /// Takes ownership of a descriptor.
    init(
        adopting descriptor: Int32, outcome: Outcome?, successor: Successor? = nil, follow: Follow? = nil,
        poller: ReadinessPoller = .shared
    ) {
        self.descriptor = descriptor
        self.follow = follow
        self.outcome = outcome
        self.successor = successor
        self.poller = poller
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { closeDescriptor() }

    /// Returns the result that a read would have now.
    func readiness() -> Readiness {
        condition.withLock {
            if let known = knownReadiness { return known }
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            if count > 0 { return .bytes }
            if count < 0 {
                guard errno != EAGAIN, errno != EINTR else { return .notYet }
                input = .broken(Self.failure(errno))
            } else {
                sawEndOfFile()
            }
            return knownReadiness ?? .notYet
        }
    }

    /// Reads the available bytes without waiting.
    func read(_ buffer: UnsafeMutableRawPointer, _ length: Int) -> Transfer {
        let count: Int? = condition.withLock { () -> Int? in
            wasRead = true
            guard knownReadiness == nil, descriptor >= 0 else { return nil }
            return recv(descriptor, buffer, length, Int32(MSG_DONTWAIT))
        }
        if let count, count > 0 { return .count(count) }
        return switch readiness() {
        case .notYet, .undecided: .notYet
        // Bytes arrived after the read. The caller waits, and then reads them.
        case .bytes: .notYet
        case .end: .end
        case .broken(let error): .broken(error)
        }
    }

    /// Writes as many bytes as fit into the socket's buffer, without waiting.
    func write(_ buffer: UnsafeRawPointer, _ length: Int) -> Transfer {
        condition.withLock {
            guard !outputIsShut, descriptor >= 0 else { return .end }
            let count = send(descriptor, buffer, length, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if count >= 0 { return .count(count) }
            return errno == EAGAIN || errno == EINTR ? .notYet : .broken(Self.failure(errno))
        }
    }

    /// Whether a write would succeed or fail at once, without waiting.
    var isWritable: Bool {
        condition.withLock {
            guard !outputIsShut, descriptor >= 0 else { return false }
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&polled, 1, 0) > 0
        }
    }

    /// The error with which a write would fail now, or nil if it would not fail.
    var writeFailure: (any Error)? {
        condition.withLock {
            guard !outputIsShut, descriptor >= 0 else { return nil }
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&polled, 1, 0)
            return Int32(polled.revents) & (POLLHUP | POLLERR) == 0 ? nil : Self.failure(EPIPE)
        }
    }

    /// Ends the direction in which this side writes. Bytes written before still arrive.
    func endOutput() {
        let end: OwnedDescriptor? = condition.withLock {
            guard !outputIsShut, descriptor >= 0 else { return nil }
            outputIsShut = true
            _ = shutdown(descriptor, Int32(SHUT_WR))
            if isCutShort { input = .done }
            defer { finishIfDone() }
            return endForSuccessor()
        }
        if let end { succeed(end) }
    }

    /// Stops reading for the caller. Later bytes are read and dropped here, so that the other side
    /// is not blocked.
    ///
    /// If the caller had begun to read, later bytes break the stream once this side has stopped
    /// writing.
    func endInput() {
        let (end, drains): (OwnedDescriptor?, Bool) = condition.withLock {
            inputIsClosed = true
            let end = endForSuccessor()
            switch input {
            case .open, .undecided: return (end, end == nil)
            case .ended, .broken:
                input = .done
                finishIfDone()
                return (end, false)
            case .done: return (nil, false)
            }
        }
        if let end { succeed(end) }
        if drains { drain() }
    }

    /// Calls a handler once, when ``readiness()`` is neither `notYet` nor `undecided`.
    func whenReadable(_ handler: @escaping @Sendable () -> Void) -> ReadinessPoller.Token? {
        wait(POLLIN, handler: handler)
    }

    /// Calls a handler once, when a write would no longer have to wait.
    func whenWritable(_ handler: @escaping @Sendable () -> Void) -> ReadinessPoller.Token? {
        wait(POLLOUT, handler: handler)
    }

    func cancel(_ wait: ReadinessPoller.Token) { poller.cancel(wait) }

    /// Blocks this thread until there are bytes to read, or the stream has ended or failed.
    func blockUntilReadable() { block(POLLIN) }

    /// Blocks this thread until a write would no longer have to wait.
    func blockUntilWritable() { block(POLLOUT) }
}

extension StreamSocket {
    /// Returns Foundation's error for a lost connection, with the system's error as the underlying
    /// error.
    static func failure(_ number: Int32) -> any Error {
        failure(NSError(domain: NSPOSIXErrorDomain, code: Int(number)))
    }

    private static func failure(_ cause: any Error) -> any Error {
        CocoaError(.userActivityConnectionUnavailable, userInfo: [NSUnderlyingErrorKey: cause])
    }

    private var knownReadiness: Readiness? {
        switch input {
        case .open: nil
        case .undecided: .undecided
        case .ended, .done: .end
        case .broken(let error): .broken(error)
        }
    }

    private func sawEndOfFile() {
        if !outputIsShut {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&polled, 1, 0)
            input = Int32(polled.revents) & POLLHUP == 0 || outcome == nil ? .ended : .broken(Self.failure(ECONNRESET))
            return
        }
        guard let outcome else {
            input = .ended
            return
        }
        input = .undecided
        Task {
            do {
                try await outcome()
                settle(.ended)
            } catch {
                settle(.broken(Self.failure(error)))
            }
        }
    }

    private func settle(_ result: Input) {
        let handlers = condition.withLock {
            if case .undecided = input { input = result }
            condition.broadcast()
            defer { settled = [] }
            return settled
        }
        for handler in handlers { handler() }
    }

    private func wait(_ events: Int32, handler: @escaping @Sendable () -> Void) -> ReadinessPoller.Token? {
        condition.withLock {
            if events == POLLIN, case .undecided = input {
                settled.append(handler)
                return nil
            }
            guard descriptor >= 0 else {
                DispatchQueue.global().async(execute: handler)
                return nil
            }
            return poller.wait(for: descriptor, events: events, handler: handler)
        }
    }

    private func block(_ events: Int32) {
        let waiting: Int32 = condition.withLock {
            while events == POLLIN, case .undecided = input { condition.wait() }
            return descriptor
        }
        guard waiting >= 0 else { return }
        var polled = pollfd(fd: waiting, events: Int16(events), revents: 0)
        _ = poll(&polled, 1, -1)
    }

    /// Returns a duplicate of the socket for the successor if this side has closed both directions.
    ///
    /// The caller holds the lock.
    private func endForSuccessor() -> OwnedDescriptor? {
        guard successor != nil, succession == .none, inputIsClosed, outputIsShut, descriptor >= 0 else { return nil }
        if isCutShort { return nil }
        if case .broken = input { return nil }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        succession = .asked
        return OwnedDescriptor(adopting: copy)
    }

    private func succeed(_ end: OwnedDescriptor) {
        // Unread bytes may be dropped if this side has read to the end, or never began to read.
        let discards = condition.withLock { !wasRead || isAtEnd }
        guard let answer = successor?(end, discards) else { return }
        Task {
            let isTaken = await answer.value
            end.close()
            condition.withLock {
                if isTaken { input = .done } else { succession = .refused }
                finishIfDone()
            }
            if !isTaken { drain() }
        }
    }

    private var isAtEnd: Bool {
        switch input {
        case .ended, .done: true
        case .open, .undecided, .broken: false
        }
    }

    private func drain() {
        var scratch = [UInt8](repeating: 0, count: 65_536)
        while true {
            let transfer: Transfer? = condition.withLock {
                // Leave the bytes to the successor, which reads the socket now.
                if succession == .asked { return nil }
                if case .open = input {
                    let count = recv(descriptor, &scratch, scratch.count, Int32(MSG_DONTWAIT))
                    if count > 0 {
                        isCutShort = wasRead
                        return isCutShort && outputIsShut ? .end : .count(count)
                    }
                    if count < 0, errno == EAGAIN || errno == EINTR { return .notYet }
                }
                return .end
            }
            guard let transfer else { return }
            switch transfer {
            case .count: continue
            case .notYet:
                _ = whenReadable { self.drain() }
                return
            case .end, .broken:
                condition.withLock {
                    input = .done
                    finishIfDone()
                }
                return
            }
        }
    }

    /// Closes the socket if neither direction needs it.
    private func finishIfDone() {
        guard case .done = input, outputIsShut else { return }
        closeDescriptor()
    }

    /// Closes the socket, and calls the handlers that still wait for it.
    private func closeDescriptor() {
        guard descriptor >= 0 else { return }
        for handler in poller.forget(descriptor) { DispatchQueue.global().async(execute: handler) }
        close(descriptor)
        descriptor = -1
    }
}
