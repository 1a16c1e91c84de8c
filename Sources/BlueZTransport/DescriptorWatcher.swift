// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Synchronization
internal import Threads

/// Waits for descriptors to become readable or writable, on one thread for all of them.
///
/// NIO cannot watch sockets of an address family that it does not know.
final class DescriptorWatcher: Sendable {
    enum Condition: Sendable {
        case readable
        case writable

        fileprivate var events: Int16 {
            switch self {
            case .readable: Int16(POLLIN)
            case .writable: Int16(POLLOUT)
            }
        }
    }

    /// The deadline of a wait has passed.
    struct TimedOut: Error {}

    private struct Entry {
        var descriptor: CInt
        var events: Int16
        var deadline: ContinuousClock.Instant?
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var nextEntry: UInt64 = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    private let wakeUp: (read: CInt, write: CInt)

    /// Creates a watcher; returns `nil` if the process has no free file descriptors.
    ///
    /// The watcher's thread runs only while there are waits.
    init?() {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = (ends[0], ends[1])
    }

    // Nothing uses the pipe now, because the thread keeps the watcher alive while it runs.
    deinit {
        close(wakeUp.read)
        close(wakeUp.write)
    }

    /// Waits until a descriptor is ready or has an error. The caller must keep the descriptor open
    /// until then.
    ///
    /// - Throws: ``TimedOut`` at the deadline, `CancellationError`.
    func wait(
        for condition: Condition, on descriptor: CInt, until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        let id = state.withLock { state in
            state.nextEntry += 1
            return state.nextEntry
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let entry = Entry(
                    descriptor: descriptor, events: condition.events, deadline: deadline,
                    continuation: continuation)
                // A cancellation before this point found no entry to cancel, so check for it here,
                // under the same lock.
                let outcome = state.withLock { state -> (isCancelled: Bool, starts: Bool) in
                    if Task.isCancelled { return (true, false) }
                    state.entries[id] = entry
                    defer { state.isRunning = true }
                    return (false, !state.isRunning)
                }
                if outcome.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else if outcome.starts {
                    start()
                } else {
                    poke()
                }
            }
        } onCancel: {
            finish(id, throwing: CancellationError())
            poke()
        }
    }

    private func poke() {
        var byte: UInt8 = 0
        // A full pipe also wakes the thread, so a failed write does not matter.
        _ = write(wakeUp.write, &byte, 1)
    }

    private func finish(_ id: UInt64, throwing error: (any Error)?) {
        guard let entry = state.withLock({ $0.entries.removeValue(forKey: id) }) else { return }
        if let error { entry.continuation.resume(throwing: error) } else { entry.continuation.resume() }
    }

    private func start() {
        do {
            try OwnThread.start { self.run() }
        } catch {
            let stranded = state.withLock { state in
                state.isRunning = false
                return Array(state.entries.keys)
            }
            for id in stranded { finish(id, throwing: TimedOut()) }
        }
    }

    private func run() {
        while true {
            let waiting = state.withLock { state -> [(id: UInt64, entry: Entry)] in
                if state.entries.isEmpty { state.isRunning = false }
                return state.entries.map { ($0.key, $0.value) }
            }
            guard !waiting.isEmpty else { return }
            var polled = waiting.map { pollfd(fd: $0.entry.descriptor, events: $0.entry.events, revents: 0) }
            polled.append(pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0))
            poll(&polled, nfds_t(polled.count), Self.milliseconds(until: waiting.compactMap(\.entry.deadline).min()))
            if polled.last?.revents != 0 { drain() }
            let now = ContinuousClock.now
            for ((id, entry), result) in zip(waiting, polled) {
                if result.revents != 0 {
                    finish(id, throwing: nil)
                } else if let deadline = entry.deadline, deadline <= now {
                    finish(id, throwing: TimedOut())
                }
            }
        }
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeUp.read, &bytes, bytes.count) == bytes.count {}
    }

    /// Returns the time to a deadline as poll(2) needs it: in milliseconds, at most an hour, or -1
    /// for none.
    static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
        guard let deadline else { return -1 }
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        return CInt(max(0, min(left.rounded(.up), 3_600_000)))
    }
}
