// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
public import UserActivity

/// A store in a file of the app's own: what was saved is there in the next run, and what is deleted is gone for good.
///
/// Set it as `UserActivity.store` before the first activity is made. One process uses a file at a time.
public actor FileActivityStore: UserActivityStore {
    /// The largest file that is read, in bytes.
    public static let largestFile = 64 * 1_024 * 1_024

    private let file: URL
    private var kept: SavedActivities

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - file: The file, such as `$XDG_DATA_HOME/APP/activities.json`; it need not be there. Only its user can read what is written.
    ///   - capacity: How many activities are kept, at least 1; the one that was not saved for longest goes first.
    /// - Throws: A `CocoaError` or `DecodingError` for a file that cannot be read. It is left as it is, never made anew.
    public init(file: URL, capacity: Int = 256) throws {
        self.file = file
        var kept = SavedActivities(capacity: capacity)
        if FileManager.default.fileExists(atPath: file.path) {
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
            guard size <= Self.largestFile else { throw CocoaError(.fileReadTooLarge) }
            for activity in try Self.decoder.decode([SavedUserActivity].self, from: Data(contentsOf: file)) {
                guard (try? activity.state.validated()) != nil else { throw CocoaError(.fileReadCorruptFile) }
                kept.save(activity)
            }
        }
        self.kept = kept
    }

    /// Those that have not expired, the latest saved last.
    public func activities(at date: Date = Date()) -> [SavedUserActivity] { kept.activities(at: date) }

    /// Those that a search finds, the latest saved first.
    ///
    /// - Parameters:
    ///   - query: Words; each must be found.
    ///   - date: What has expired by then is not found.
    public func activities(matching query: String, at date: Date = Date()) -> [SavedUserActivity] {
        kept.activities(matching: query, at: date)
    }

    /// Keeps an activity, in place of what was kept of the same one, or of one with the same persistent identifier.
    ///
    /// - Throws: What writing throws; the store is then as it was.
    public func save(_ activity: SavedUserActivity) throws { try change { $0.save(activity) } }

    /// Deletes those with these persistent identifiers; unknown ones do no harm.
    ///
    /// - Throws: What writing throws; the store is then as it was.
    public func delete(persistentIdentifiers: Set<String>) throws {
        try change { $0.delete(persistentIdentifiers: persistentIdentifiers) }
    }

    /// Deletes all.
    ///
    /// - Throws: What writing throws; the store is then as it was.
    public func deleteAll() throws { try change { $0.deleteAll() } }

    // JSON has no numbers for these.
    private static let (infinity, negative, none) = ("inf", "-inf", "nan")

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: negative, nan: none)
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: negative, nan: none)
        return decoder
    }

    private func change(_ body: (inout SavedActivities) -> Void) throws {
        var changed = kept
        body(&changed)
        guard changed != kept else { return }
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Renamed when it is whole; 0600 from its first byte.
        let new = folder.appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
        do {
            let descriptor = open(new.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: Self.encoder.encode(changed.all))
            try handle.close()
            guard rename(new.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? FileManager.default.removeItem(at: new)
            throw error
        }
        kept = changed
    }
}
