// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation
import Glibc
import UserActivity

/// Fetches documents that are in no shared folder, and writes them to files of this app.
enum ReceivedDocuments {
    /// The default directory, `$XDG_DATA_HOME/baton/documents`.
    static var defaultDirectory: URL { BaseDirectories.data.appending(path: "baton/documents") }

    /// Fetches a document into a new folder that only this user can open.
    ///
    /// - Parameters:
    ///   - activity: An activity that was handed over.
    ///   - name: The document's name. The copy has the name that ``nameOfCopy(_:)`` returns.
    ///   - directory: The directory in which the folder is created.
    ///   - limit: The largest size in bytes.
    ///   - patience: How long to wait for the next byte from the other app. The whole document may
    ///     take ``patiences`` times as long.
    /// - Returns: The file, which has no permissions until ``ScopedAccess`` opens it.
    /// - Throws: A `CocoaError`: `userActivityHandoffUserInfoTooLarge` for more bytes than `limit`,
    ///   `userActivityHandoffFailed` for incomplete contents,
    ///   `userActivityRemoteApplicationTimedOut` when `patience` is over, or an error from writing.
    static func fetch(
        _ activity: UserActivity, name: String, into directory: URL, limit: Int, patience: Duration
    ) async throws -> URL {
        let channel = try await activity.continuationChannel()
        channel.writer.finish()
        let contents = try await read(channel.bytes, limit: limit, patience: patience)
        let folder = directory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = folder.appending(component: nameOfCopy(name))
        do {
            try write(contents, to: file)
            ScopedAccess.shared.grant(file, copiedInto: folder)
            return file
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Returns the name for a copy of a document.
    ///
    /// The name of a hidden file gets a prefix, because some programs read settings from hidden
    /// files beside a text, such as .kateproject.
    static func nameOfCopy(_ name: String) -> String {
        // Scalars: a dot with a combining mark is another `Character`, but it hides a file, too.
        guard name.unicodeScalars.first == "." else { return name }
        return "_" + String(name.unicodeScalars.dropFirst())
    }

    /// The time limit for the whole transfer, as a multiple of `patience`.
    ///
    /// The limit stops a sender that keeps the transfer alive with a byte now and then.
    static let patiences = 60

    private static func read(_ bytes: ContinuationBytes, limit: Int, patience: Duration) async throws -> Data {
        var all = Data()
        var expected: Int?
        let end = ContinuousClock.now + patience * patiences
        while let piece = try await next(of: bytes, within: min(patience, end - .now)) {
            all += piece
            if expected == nil, all.count >= DocumentStream.headerLength {
                expected = DocumentStream.length(header: all.prefix(DocumentStream.headerLength), limit: limit)
                guard expected != nil else { throw CocoaError(.userActivityHandoffUserInfoTooLarge) }
            }
            guard all.count <= DocumentStream.headerLength + (expected ?? 0) else {
                throw CocoaError(.userActivityHandoffFailed)
            }
        }
        guard let expected, all.count == DocumentStream.headerLength + expected else {
            throw CocoaError(.userActivityHandoffFailed)
        }
        return Data(all.dropFirst(DocumentStream.headerLength))
    }

    private static func next(of bytes: ContinuationBytes, within patience: Duration) async throws -> Data? {
        try await withThrowingTaskGroup(of: Data?.self) { group in
            group.addTask {
                var rest = bytes.makeAsyncIterator()
                return try await rest.next()
            }
            group.addTask {
                try await Task.sleep(for: patience)
                throw CocoaError(.userActivityRemoteApplicationTimedOut)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Writes a new file without any permissions.
    private static func write(_ contents: Data, to file: URL) throws {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: contents)
        try handle.close()
    }
}
