// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserActivity

extension ActivityDocument {
    /// The contents of a document whose file says it all: what was saved last.
    ///
    /// Give it as `contents`. It throws what reading throws, and `CocoaError(.fileReadTooLarge)`
    /// beyond ``largestSavedFile``.
    public static let savedFile: @MainActor @Sendable (URL) throws -> Data = { file in
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let data = try handle.read(upToCount: largestSavedFile + 1) ?? Data()
        guard data.count <= largestSavedFile else { throw CocoaError(.fileReadTooLarge) }
        return data
    }

    /// How many bytes ``savedFile`` reads: as many as an ``Application`` receives unless told
    /// otherwise.
    public nonisolated static let largestSavedFile = 64 * 1_024 * 1_024
}
