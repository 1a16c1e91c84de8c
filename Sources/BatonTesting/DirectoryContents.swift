// SPDX-License-Identifier: Apache-2.0

import DirectoryWatching
public import Foundation

/// Waits until a condition on the files of a directory holds. Checks the condition at once, and
/// again whenever a file in the directory is made, written, moved or removed.
///
/// - Parameters:
///   - directory: An existing directory. Directories below it are not watched.
///   - what: The awaited event, in a few words.
///   - isolation: The actor on which the condition runs, which is the caller's.
/// - Throws: ``Missing`` if the task is cancelled before that, or if the system allows no more
///   watches.
public func untilFiles(
    in directory: URL, _ what: String, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    guard let watch = DirectoryWatch([directory.path]) else { throw Missing(what: "a watch of \(directory.path)") }
    // Keep the watch alive until the function returns.
    defer { withExtendedLifetime(watch) {} }
    var changes = watch.changes.makeAsyncIterator()
    while try await !condition() {
        guard await changes.next() != nil else { throw Missing(what: what) }
    }
}
