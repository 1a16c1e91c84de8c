// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import FoundationEssentials
public import Logging
import Synchronization

/// What left this laptop of late, in a file of its own: when, to which laptop, of which app and
/// type. Titles, contents and addresses are not in it.
///
/// Entries are written a moment later, with all that leaves until then, so that no other laptop
/// causes more than one write in ``delay``. Each is forgotten when its time is over, whether
/// somebody asks or not.
public final class HistoryStore: Sendable {
    /// How long an entry may wait to be written: the shortest time between two writes.
    public static let delay = Duration.seconds(10)
    /// The longest time between two searches for expired entries.
    public static let longestLook = Duration.seconds(24 * 3_600)
    /// How long entries are kept unless the user says otherwise.
    public static let usualLength = Duration.seconds(24 * 3_600)
    /// The longest that they may be kept.
    public static let longestLength = Duration.seconds(30 * 24 * 3_600)

    static let fileName = "history"

    private struct State {
        var history = History()
        /// How long entries are kept: while the settings are not known yet, none is lost.
        var length = HistoryStore.longestLength
        /// What forgets when the next entry's time is over.
        var forgetting: Task<Void, Never>?
        /// Why the log says that nothing was written; nil once something was.
        var loggedFailure: String?
    }

    /// What has left and is not in ``State`` yet: who hands over does not wait for the disk.
    private struct Inbox {
        var news = History()
        var isOpen = true
        /// What writes a moment later; nil when the file has all.
        var writing: Task<Void, Never>?

        mutating func stopWriting() {
            writing?.cancel()
            writing = nil
        }
    }

    private let file: PrivateFile?
    private let pause: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger
    /// Locked before ``inbox``, where both are.
    private let state: Mutex<State>
    private let inbox = Mutex(Inbox())

    /// A store without a file, for tests.
    public convenience init() { self.init(file: nil, Logger(label: "") { _ in SwiftLogNoOpLogHandler() }) }

    /// Opens the store. A file that cannot be read is removed: nobody may miss it, and it is not to
    /// stay for ever.
    ///
    /// - Parameters:
    ///   - directory: Where the file `history` is; it is there, and its user's alone.
    ///   - pause: How long an entry waits to be written.
    ///   - now: The time, by which entries are forgotten.
    public convenience init(
        directory: String, logger: Logger, pause: Duration = HistoryStore.delay,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let path = "\(directory)/\(Self.fileName)"
        self.init(file: PrivateFile(path: path, largest: HistoryCodec.largest), logger, pause: pause, now: now)
    }

    private init(
        file: PrivateFile?, _ logger: Logger, pause: Duration = HistoryStore.delay,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.file, self.logger, self.pause, self.now) = (file, logger, pause, now)
        var state = State()
        do {
            if let data = try file?.read() { state.history = try HistoryCodec.decode(data) }
        } catch {
            logger.warning("the history cannot be read, beginning without: \(error)")
            try? file?.remove()
        }
        self.state = Mutex(state)
    }

    deinit {
        state.withLock { $0.forgetting?.cancel() }
        inbox.withLock { $0.stopWriting() }
    }

    /// What left, the latest first.
    public var entries: [HistoryEntry] {
        state.withLock { state in
            forget(&state)
            var all = state.history
            for entry in inbox.withLock(\.news.entries) { all.add(entry) }
            return all.entries.reversed()
        }
    }

    /// An activity has left.
    public func note(device: String, named name: String, application: String?, type: String) {
        let now = now()
        inbox.withLock { inbox in
            guard inbox.isOpen else { return }
            inbox.news.add(
                HistoryEntry(
                    first: now, last: now, device: device, deviceName: name, application: application, type: type))
            writeLater(&inbox)
        }
    }

    /// Keeps entries so long from now on; zero for not at all, which removes what there is.
    public func keep(for length: Duration) {
        state.withLock { state in
            state.length = min(max(length, .zero), Self.longestLength)
            inbox.withLock { $0.isOpen = state.length > .zero }
            guard state.length == .zero else { return forget(&state) }
            do {
                try removeAll(&state)
            } catch {
                logger.error("the history was not removed, remove the file: \(error)")
            }
        }
    }

    /// Forgets all, and removes the file.
    ///
    /// - Throws: ``BatonError``; the entries are gone from memory all the same.
    public func forgetAll() throws {
        do {
            try state.withLock { try removeAll(&$0) }
        } catch {
            throw BatonError(.failed, "the history was not removed: \(error); remove the file yourself")
        }
    }

    /// Writes what has yet to be written.
    public func flush() {
        state.withLock { state in
            let news = inbox.withLock { inbox in
                defer { inbox.news = History() }
                inbox.stopWriting()
                return inbox.news.entries
            }
            guard !news.isEmpty || state.loggedFailure != nil else { return }
            _ = state.history.forget(keeping: state.length, at: now())
            for entry in news { state.history.add(entry) }
            write(&state)
            setAlarm(&state)
        }
    }

    private func removeAll(_ state: inout State) throws {
        inbox.withLock { inbox in
            inbox.stopWriting()
            inbox.news = History()
        }
        state.forgetting?.cancel()
        (state.history, state.forgetting, state.loggedFailure) = (History(), nil, nil)
        try file?.remove()
    }

    /// Forgets what is older than is kept, also in the file.
    private func forget(_ state: inout State) {
        if state.history.forget(keeping: state.length, at: now()) { write(&state) }
        setAlarm(&state)
    }

    private func setAlarm(_ state: inout State) {
        state.forgetting?.cancel()
        state.forgetting = state.history.end(keeping: state.length).map { end in
            let wait = min(max(.seconds(end.timeIntervalSince(now())), .seconds(1)), Self.longestLook)
            return Task { [weak self] in
                guard (try? await Task.sleep(for: wait)) != nil else { return }
                self?.timePassed()
            }
        }
    }

    private func timePassed() { state.withLock { forget(&$0) } }

    private func writeLater(_ inbox: inout Inbox) {
        guard inbox.writing == nil else { return }
        inbox.writing = Task { [weak self, pause] in
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            self?.flush()
        }
    }

    private func write(_ state: inout State) {
        do {
            if state.history.entries.isEmpty {
                try file?.remove()
            } else {
                try file?.write(HistoryCodec.encode(state.history))
            }
            state.loggedFailure = nil
        } catch {
            if state.loggedFailure != "\(error)" { logger.error("the history was not written: \(error)") }
            state.loggedFailure = "\(error)"
            inbox.withLock { writeLater(&$0) }
        }
    }
}
