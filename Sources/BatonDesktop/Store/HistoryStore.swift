// SPDX-License-Identifier: Apache-2.0

public import BatonBus
import Diagnosis
public import FoundationEssentials
public import Logging
import Synchronization

/// The store of activities that recently left this laptop.
///
/// For each activity, it holds the time, the other laptop, the app and the type, but no title,
/// contents or address.
///
/// The store collects entries for ``delay`` before it writes them, so that other laptops cause no
/// more than one write in that time. Each entry is removed when it expires, even if nobody reads
/// the history.
public final class HistoryStore: Sendable {
    /// The longest time until an entry is written, and the shortest time between two writes.
    public static let delay = Duration.seconds(10)
    /// The longest time between two searches for expired entries.
    public static let longestLook = Duration.seconds(24 * 3_600)
    /// How long entries are kept unless the user says otherwise.
    public static let usualLength = Duration.seconds(24 * 3_600)
    /// The longest time for which entries may be kept.
    public static let longestLength = Duration.seconds(30 * 24 * 3_600)

    static let fileName = "history"

    private struct State {
        var history = History()
        /// How long entries are kept. The longest time applies at first, so that no entry is lost
        /// before the settings are known.
        var length = HistoryStore.longestLength
        /// The task that removes the next entry when it expires, or nil without entries.
        var forgetting: Task<Void, Never>?
        /// The last logged write error, or nil after a successful write.
        var loggedFailure: String?
    }

    /// The new entries that are not in ``State`` yet. These entries have their own lock, so that a
    /// hand-over does not wait for the disk.
    private struct Inbox {
        var news = History()
        var isOpen = true
        /// The task that writes after a delay, or nil if the file is up to date.
        var writing: Task<Void, Never>?

        mutating func stopWriting() {
            writing?.cancel()
            writing = nil
        }
    }

    /// Notifies that ``entries`` may have changed.
    public let change = ChangeNotice()

    private let file: PrivateFile?
    private let pause: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger
    /// The state. If both locks are needed, this one is locked before ``inbox``.
    private let state: Mutex<State>
    private let inbox = Mutex(Inbox())

    /// Creates a store without a file, for tests.
    public convenience init() { self.init(file: nil, Logger(label: "") { _ in SwiftLogNoOpLogHandler() }) }

    /// Opens the store. A file that cannot be read is removed, because it must not stay for ever
    /// and its loss matters little.
    ///
    /// - Parameters:
    ///   - directory: The directory of the file `history`. It must exist and belong to the user
    ///     alone.
    ///   - pause: How long an entry waits to be written.
    ///   - now: The clock by which entries expire.
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

    /// The entries, the latest first.
    public var entries: [HistoryEntry] {
        state.withLock { state in
            forget(&state)
            var all = state.history
            for entry in inbox.withLock(\.news.entries) { all.add(entry) }
            return all.entries.reversed()
        }
    }

    /// Adds an activity that left this laptop.
    public func note(device: String, named name: String, application: String?, type: String) {
        let now = now()
        inbox.withLock { inbox in
            guard inbox.isOpen else { return }
            inbox.news.add(
                HistoryEntry(
                    first: now, last: now, device: device, deviceName: name, application: application, type: type))
            writeLater(&inbox)
        }
        change.note()
    }

    /// Sets how long entries are kept. Zero keeps none and removes all existing entries.
    public func keep(for length: Duration) {
        defer { change.note() }
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

    /// Removes all entries and the file.
    ///
    /// - Throws: ``BatonError`` if the file cannot be removed. The entries are removed from memory
    ///   even then.
    public func forgetAll() throws {
        defer { change.note() }
        do {
            try state.withLock { try removeAll(&$0) }
        } catch {
            throw BatonError(.failed, .historyNotRemoved, ["reason": BatonError.reason(error)])
        }
    }

    /// Writes the waiting entries now.
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

    /// Removes expired entries from memory and from the file.
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

    private func timePassed() {
        state.withLock { forget(&$0) }
        change.note()
    }

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
