// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserActivity

extension ActivityDocument {
    /// Reads the contents of a document from its file, as they were last saved.
    ///
    /// Pass it as `contents`. It throws the errors of reading, and `CocoaError(.fileReadTooLarge)`
    /// for a file larger than ``largestSavedFile``.
    public static let savedFile: @MainActor @Sendable (URL) throws -> Data = { file in
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let data = try handle.read(upToCount: largestSavedFile + 1) ?? Data()
        guard data.count <= largestSavedFile else { throw CocoaError(.fileReadTooLarge) }
        return data
    }

    /// The largest file that ``savedFile`` reads, in bytes.
    ///
    /// An ``Application`` accepts the same size by default.
    public nonisolated static let largestSavedFile = 64 * 1_024 * 1_024
}
