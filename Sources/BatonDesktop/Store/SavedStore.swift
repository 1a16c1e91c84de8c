// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
public import FoundationEssentials
public import Logging

/// The daemon's store of saved activities, which searches find.
///
/// A deletion has been written to the file when the call returns. The store collects saves for a
/// moment before it writes them. ``flush()`` writes them at once. A failed write, for example on a
/// full disk, is repeated until it succeeds. After ``end()``, each save is written before its call
/// returns.
public actor SavedStore {
    /// How long a save may wait before it is written.
    public static let delay = Duration.seconds(2)

    static let fileName = "saved"

    private let file: PrivateFile
    private let pause: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger
    private var library: SavedLibrary
    /// The task that writes after a delay, or nil if the file is up to date.
    private var writing: Task<Void, Never>?
    /// The last logged write error, or nil after a successful write.
    private var loggedFailure: String?
    /// Whether the daemon is ending, so that a save cannot be written later.
    private var isEnding = false

    /// Opens the store. A file that cannot be read is put aside, and the store starts empty.
    ///
    /// - Parameters:
    ///   - directory: The directory of the file `saved`. It must exist and belong to the user
    ///     alone.
    ///   - pause: The wait after a failed write.
    ///   - now: The clock by which activities expire.
    public init(
        directory: String, logger: Logger, pause: Duration = .seconds(10),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        file = PrivateFile(path: "\(directory)/\(Self.fileName)", largest: 2 * SavedLibrary.largestLibrary)
        self.pause = pause
        self.now = now
        self.logger = logger
        do {
            var damage: (any Error)?
            let read = try file.read().map { try SavedCodec.decode($0, at: now()) { damage = $0 } } ?? SavedLibrary()
            library = read
            if let damage {
                let aside = try? file.putAside()
                try? file.write(SavedCodec.encode(read))
                logger.warning(
                    "some saved activities cannot be read, going on without: \(damage); what there was is in \(aside ?? "no other file")"
                )
            }
        } catch {
            library = SavedLibrary()
            let aside = (try? file.putAside()) ?? file.path
            logger.warning(
                "the saved activities cannot be read, beginning without: \(error); what there was is in \(aside)")
        }
    }

    /// Saves an activity of an app.
    ///
    /// - Throws: ``BatonError`` if the activity is too large or invalid. After ``end()``, also the
    ///   error of a failed write.
    public func save(_ activity: SavedUserActivity, of application: String) throws {
        try library.save(activity, of: application, at: now())
        if isEnding { try write() } else { writeLater() }
    }

    /// Deletes an app's activities with these persistent identifiers.
    ///
    /// - Throws: The error of a failed write. Searches do not find the activities even then.
    public func delete(persistentIdentifiers: Set<String>, of application: String) throws {
        try change { $0.delete(persistentIdentifiers: persistentIdentifiers, of: application) }
    }

    /// Deletes all activities of an app.
    ///
    /// - Throws: The error of a failed write. Searches do not find the activities even then.
    public func deleteAll(of application: String) throws { try change { $0.deleteAll(of: application) } }

    /// Returns an app's activities that have not expired, the latest first.
    public func activities(of application: String, matching query: String?) -> [SavedUserActivity] {
        library.activities(of: application, matching: query, at: now())
    }

    /// Returns the results of a desktop search, the latest first.
    public func results(for query: String) -> [SearchResult] { library.results(for: query, at: now()) }

    /// Returns a search result by its id, or nil if it was deleted or has expired.
    public func result(_ id: String) -> SearchResult? { library.result(id, at: now()) }

    /// Records that a result was opened.
    public func opened(_ id: String) {
        library.opened(id)
        writeLater()
    }

    /// Writes the waiting changes now, because the daemon is ending. A failure is logged although
    /// it may have been logged before, because there may be no other attempt.
    public func end() {
        isEnding = true
        loggedFailure = nil
        flush()
    }

    /// Writes the waiting changes now.
    public func flush() {
        guard writing != nil else { return }
        do {
            try write()
        } catch {
            if loggedFailure != "\(error)" { logger.error("activities were not saved: \(error)") }
            loggedFailure = "\(error)"
        }
    }

    private func change(_ body: (inout SavedLibrary) -> Void) throws {
        let before = library
        body(&library)
        // Write also if a save is waiting, because that save may contain the activities to delete.
        guard library != before || writing != nil else { return }
        try write()
    }

    private func writeLater(after delay: Duration = SavedStore.delay) {
        guard writing == nil else { return }
        writing = Task { [weak self] in
            guard (try? await Task.sleep(for: delay)) != nil else { return }
            await self?.flush()
        }
    }

    private func write() throws {
        writing?.cancel()
        writing = nil
        do {
            try file.write(SavedCodec.encode(library))
        } catch {
            writeLater(after: pause)
            throw error
        }
        loggedFailure = nil
    }
}
