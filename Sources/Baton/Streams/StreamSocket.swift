// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Dispatch
import Foundation
import Glibc
import UserActivity

/// A pair of streams as one connected Unix socket, with its two directions ending independently of
/// each other.
///
/// The socket is closed when both are done. Whether an end of file is the end of the stream, or the
/// streams broke, shows in the socket while this side still writes: the daemon ends one direction
/// only when it ended well, and closes both when it did not. Afterwards both look the same, and
/// `outcome` decides.
///
/// - Note: `@unchecked Sendable`: what changes is under `condition`.
final class StreamSocket: @unchecked Sendable {
    enum Readiness {
        case notYet
        case bytes
        /// The end of file is there; whether it is the end is still to be found out.
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

    /// Returns when all arrived on both sides; throws when the streams broke. Nil: an end of file
    /// is an end.
    typealias Outcome = @Sendable () async throws -> Void

    /// Takes the socket over when this side has closed both directions, so that what was written
    /// goes over though this program ends; with false what still comes breaks the streams. The task
    /// says whether it has.
    typealias Successor = @Sendable (_ end: OwnedDescriptor, _ discards: Bool) -> Task<Bool, Never>

    private enum Succession {
        case none, asked, refused
    }

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
    /// This side does not read any more.
    private var inputIsClosed = false
    /// Something came that this side, which had begun to read, does not read any more.
    private var isCutShort = false

    /// Adopts a descriptor.
    init(
        adopting descriptor: Int32, outcome: Outcome?, successor: Successor? = nil, poller: ReadinessPoller = .shared
    ) {
        self.descriptor = descriptor
        self.outcome = outcome
        self.successor = successor
        self.poller = poller
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { closeDescriptor() }

    /// What a read would give.
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

    /// Reads what there is, without waiting.
    func read(_ buffer: UnsafeMutableRawPointer, _ length: Int) -> Transfer {
        let count: Int? = condition.withLock { () -> Int? in
            wasRead = true
            guard knownReadiness == nil, descriptor >= 0 else { return nil }
            return recv(descriptor, buffer, length, Int32(MSG_DONTWAIT))
        }
        if let count, count > 0 { return .count(count) }
        return switch readiness() {
        case .notYet, .undecided: .notYet
        // Something came between the two calls.
        case .bytes: .notYet
        case .end: .end
        case .broken(let error): .broken(error)
        }
    }

    /// Writes what there is room for, without waiting.
    func write(_ buffer: UnsafeRawPointer, _ length: Int) -> Transfer {
        condition.withLock {
            guard !outputIsShut, descriptor >= 0 else { return .end }
            let count = send(
                descriptor, buffer, length, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if count >= 0 { return .count(count) }
            return errno == EAGAIN || errno == EINTR ? .notYet : .broken(Self.failure(errno))
        }
    }

    /// Whether a write would be taken now, or fail.
    var isWritable: Bool {
        condition.withLock {
            guard !outputIsShut, descriptor >= 0 else { return false }
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&polled, 1, 0) > 0
        }
    }

    /// Why a write would fail; nil while it would not.
    var writeFailure: (any Error)? {
        condition.withLock {
            guard !outputIsShut, descriptor >= 0 else { return nil }
            var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&polled, 1, 0)
            return Int32(polled.revents) & (POLLHUP | POLLERR) == 0 ? nil : Self.failure(EPIPE)
        }
    }

    /// Ends what this side writes; what was written before still arrives.
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

    /// Gives up reading; what still comes is read here, so that the other side is not held up. It
    /// breaks a stream that this side had begun to read, once this side does not write any more.
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

    /// Calls a handler once when ``readiness()`` has something else to say than `notYet` and
    /// `undecided`.
    func whenReadable(_ handler: @escaping @Sendable () -> Void) -> ReadinessPoller.Token? {
        wait(POLLIN, handler: handler)
    }

    /// Calls a handler once when a write would be taken, or fail.
    func whenWritable(_ handler: @escaping @Sendable () -> Void) -> ReadinessPoller.Token? {
        wait(POLLOUT, handler: handler)
    }

    /// Ends a wait.
    func cancel(_ wait: ReadinessPoller.Token) { poller.cancel(wait) }

    /// Blocks this thread until there is something to read, an end, or a failure.
    func blockUntilReadable() { block(POLLIN) }

    /// Blocks this thread until a write would be taken, or fail.
    func blockUntilWritable() { block(POLLOUT) }
}

extension StreamSocket {
    /// A stream that broke has lost its connection: that is Foundation's code for it, and what the
    /// system says stands beneath.
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

    /// The socket once more, when this side has closed both directions and there is somebody to
    /// take it over; under the lock.
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
        // What is at its end, or was never read, breaks nothing.
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
                // Whoever takes the socket over reads it.
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

    /// Closes the socket when neither direction needs it.
    private func finishIfDone() {
        guard case .done = input, outputIsShut else { return }
        closeDescriptor()
    }

    /// Closes the socket; whoever still waits for it finds that out.
    private func closeDescriptor() {
        guard descriptor >= 0 else { return }
        for handler in poller.forget(descriptor) { DispatchQueue.global().async(execute: handler) }
        close(descriptor)
        descriptor = -1
    }
}
