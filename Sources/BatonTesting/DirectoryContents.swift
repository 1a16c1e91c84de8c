// SPDX-License-Identifier: Apache-2.0

import DirectoryWatching
public import Foundation

/// Waits until a condition on the files of a directory holds. Checks the condition at once, and
/// again whenever a file in the directory is made, written, moved or removed. If the system allows
/// no more watches, checks it every ten seconds.
///
/// - Parameters:
///   - directory: An existing directory. Directories below it are not watched.
///   - what: The awaited event, in a few words.
///   - isolation: The actor on which the condition runs, which is the caller's.
/// - Throws: ``Missing`` if the task is cancelled before the condition holds.
public func untilFiles(
    in directory: URL, _ what: String, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let watch = DirectoryWatch([directory.path])
    while try await !condition() {
        await DirectoryWatch.change(watch)
        if Task.isCancelled { throw Missing(what: what) }
    }
}
