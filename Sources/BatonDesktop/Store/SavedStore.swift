// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
public import FoundationEssentials
public import Logging

/// The daemon's store of activities that searches find, in a file of its own.
///
/// What is deleted is gone from the file when the deletion returns. What is saved is written a
/// moment later, with all that is saved until then, or by ``flush()``. What cannot be written, as
/// on a full disk, is tried again until it can.
public actor SavedStore {
    /// How long a save may wait to be written.
    public static let delay = Duration.seconds(2)

    static let fileName = "saved"

    private let file: PrivateFile
    private let pause: Duration
    private let now: @Sendable () -> Date
    private let logger: Logger
    private var library: SavedLibrary
    /// What writes a moment later; nil when the file has all.
    private var writing: Task<Void, Never>?
    /// Why the log says that nothing was written; nil once something was.
    private var loggedFailure: String?

    /// Opens the store. A file that cannot be read is put aside, and the store begins empty.
    ///
    /// - Parameters:
    ///   - directory: Where the file `saved` is; it is there, and its user's alone.
    ///   - pause: How long after a write that failed the next is tried.
    ///   - now: The time, by which activities expire.
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

    /// Keeps an activity of an app.
    ///
    /// - Throws: ``SavedLibrary/Refusal`` for one that is too large.
    public func save(_ activity: SavedUserActivity, of application: String) throws {
        try library.save(activity, of: application, at: now())
        writeLater()
    }

    /// Deletes an app's activities with these persistent identifiers.
    ///
    /// - Throws: What writing throws; they are not found any more all the same.
    public func delete(persistentIdentifiers: Set<String>, of application: String) throws {
        try change { $0.delete(persistentIdentifiers: persistentIdentifiers, of: application) }
    }

    /// Deletes all of an app's.
    ///
    /// - Throws: What writing throws; they are not found any more all the same.
    public func deleteAll(of application: String) throws { try change { $0.deleteAll(of: application) } }

    /// What is kept of an app's, the latest first.
    public func activities(of application: String, matching query: String?) -> [SavedUserActivity] {
        library.activities(of: application, matching: query, at: now())
    }

    /// What a search of the desktop finds, the latest first.
    public func results(for query: String) -> [SearchResult] { library.results(for: query, at: now()) }

    /// One that was found; nil when it is there no more.
    public func result(_ id: String) -> SearchResult? { library.result(id, at: now()) }

    /// Notes that one was opened.
    public func opened(_ id: String) {
        library.opened(id)
        writeLater()
    }

    /// Writes what has yet to be written.
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
        // What was not written before may be what this is about.
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
