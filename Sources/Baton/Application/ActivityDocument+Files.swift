// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserActivity

extension ActivityDocument {
    /// Reads the contents of a document from its file, as the app last saved them.
    ///
    /// Pass this closure as the `contents` of an ``ActivityDocument``. The closure throws an error
    /// if the file cannot be read, and `CocoaError(.fileReadTooLarge)` if the file is larger than
    /// ``largestSavedFile``.
    public static let savedFile: @MainActor @Sendable (URL) throws -> Data = { file in
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let data = try handle.read(upToCount: largestSavedFile + 1) ?? Data()
        guard data.count <= largestSavedFile else { throw CocoaError(.fileReadTooLarge) }
        return data
    }

    /// The largest file that ``savedFile`` reads, in bytes.
    ///
    /// By default an ``Application`` accepts documents up to the same size.
    public nonisolated static let largestSavedFile = 64 * 1_024 * 1_024
}
