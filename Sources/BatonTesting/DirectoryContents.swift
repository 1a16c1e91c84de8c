// SPDX-License-Identifier: Apache-2.0

import DirectoryWatching
public import Foundation

/// Returns once a condition on the files of a directory holds; looks at the beginning, and whenever
/// a file there was made, written, moved or removed.
///
/// - Parameters:
///   - directory: It is there already; what stands in directories below it is not looked at.
///   - what: What is waited for, in a few words.
///   - isolation: Where the condition is looked at: where the caller is.
/// - Throws: ``Missing`` when the task is cancelled before, or the system allows no more watching.
public func untilFiles(
    in directory: URL, _ what: String, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    guard let watch = DirectoryWatch([directory.path]) else { throw Missing(what: "a watch of \(directory.path)") }
    // It ends with its last use.
    defer { withExtendedLifetime(watch) {} }
    var changes = watch.changes.makeAsyncIterator()
    while try await !condition() {
        guard await changes.next() != nil else { throw Missing(what: what) }
    }
}
