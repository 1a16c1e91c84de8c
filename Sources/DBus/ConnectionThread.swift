// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc
import Synchronization
internal import Threads

/// The thread that owns one connection. No other thread calls libdbus for this connection. Other
/// threads give this thread jobs and wake it.
///
/// The connection has one owner because a thread that waits inside libdbus holds libdbus's lock and
/// blocks all threads that want to send.
final class ConnectionThread: Sendable {
    typealias Job = @Sendable (ConnectionCore) -> Void

    /// The bus to connect to.
    enum Target: Sendable {
        case session, system
        case address(String)
    }

    private struct Inbox {
        var jobs: [Job] = []
        var isOpen = true
    }

    /// The largest number of waiting signals and replies. Calls have their own limit.
    private static let maximumJobs = 65_536

    private let inbox = Mutex(Inbox())
    private let outgoingFull = Atomic<Bool>(false)
    private let wakeup: OwnedDescriptor
    let limits: DBusLimits

    private init(limits: DBusLimits) throws {
        self.limits = limits
        let descriptor = cdbus_wakeup_descriptor()
        guard descriptor >= 0 else { throw DBusError.limit("no descriptor left for a connection") }
        wakeup = OwnedDescriptor(adopting: descriptor)
    }

    /// Starts the thread, connects, says Hello, and returns the unique name.
    static func start(_ target: Target, limits: DBusLimits) async throws -> (ConnectionThread, String) {
        let thread = try ConnectionThread(limits: limits)
        let name: String = try await withCheckedThrowingContinuation { continuation in
            do {
                try OwnThread.start {
                    do {
                        let core = try ConnectionCore(connecting: target, thread: thread)
                        continuation.resume(returning: core.uniqueName)
                        core.run()
                    } catch {
                        thread.shut()
                        continuation.resume(throwing: error)
                    }
                }
            } catch {
                continuation.resume(throwing: DBusError.limit("no thread left for a connection"))
            }
        }
        return (thread, name)
    }

    /// Gives a job to the thread. Returns `false` if the connection has ended, so that the job will
    /// not run.
    @discardableResult
    func perform(_ job: @escaping Job) -> Bool {
        let accepted = inbox.withLock { inbox in
            guard inbox.isOpen else { return false }
            inbox.jobs.append(job)
            return true
        }
        if accepted { wake() }
        return accepted
    }

    /// Gives a job to the thread, for callers that can produce jobs without waiting. Throws when
    /// the bus is gone, or does not read as fast as this connection writes.
    func performBounded(_ job: @escaping Job) throws {
        guard !outgoingFull.load(ordering: .relaxed) else {
            throw DBusError.limit("the bus does not read what this connection has already sent")
        }
        try inbox.withLock { inbox in
            guard inbox.isOpen else { throw DBusError.closed }
            guard inbox.jobs.count < Self.maximumJobs else { throw DBusError.limit("too many messages at once") }
            inbox.jobs.append(job)
        }
        wake()
    }

    var isOpen: Bool { inbox.withLock { $0.isOpen } }

    private func wake() {
        wakeup.withDescriptor { descriptor in
            guard let descriptor else { return }
            var one: UInt64 = 1
            _ = write(descriptor, &one, 8)
        }
    }
}

/// The methods that only the owning thread calls.
extension ConnectionThread {
    /// Calls a closure with the descriptor to poll for ``takeJobs()``.
    func withWakeup<Result>(_ body: (Int32) -> Result) -> Result { wakeup.withDescriptor { body($0 ?? -1) } }

    func drainWakeup() {
        wakeup.withDescriptor { descriptor in
            guard let descriptor else { return }
            var count: UInt64 = 0
            _ = read(descriptor, &count, 8)
        }
    }

    func takeJobs() -> [Job] {
        inbox.withLock { inbox in
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
    }

    func setOutgoingFull(_ full: Bool) { outgoingFull.store(full, ordering: .relaxed) }

    /// Closes the inbox. Returns the jobs that were accepted before, which must still run.
    @discardableResult
    func shut() -> [Job] {
        inbox.withLock { inbox in
            inbox.isOpen = false
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
    }
}
