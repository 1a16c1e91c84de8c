// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Glibc
import Synchronization
import Testing

@testable import DirectoryWatching

/// Which directories are watched, and what happens when the system allows no more watches.
@Suite struct DirectoryWatchTests {
    @Test("If the system allows no more watches, creating a watch returns nil")
    func noMoreWatches() {
        for error in [ENOSPC, ENOMEM] {
            let watch = DirectoryWatch(["/tmp"]) { _, _, _ in
                errno = error
                return -1
            }
            #expect(watch == nil)
        }
    }

    @Test("If a path is missing, not a directory or unreadable, a directory above it is watched")
    func watchedFromAbove() {
        for error in [ENOENT, ENOTDIR, EACCES] {
            var tried: [String] = []
            let watch = DirectoryWatch(["/home/ada/.config/baton"]) { _, path, _ in
                tried.append(path)
                errno = error
                return path == "/home" ? 1 : -1
            }
            #expect(watch != nil)
            #expect(tried == ["/home/ada/.config/baton", "/home/ada/.config", "/home/ada", "/home"])
        }
    }

    @Test("Only changes of directories and of interesting files are reported", .timeLimit(.minutes(1)))
    func filesOfInterest() async throws {
        let root = URL(filePath: "/tmp/bdw-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        let asked = Watched<[String]>([])
        let made = DirectoryWatch(
            [root.path],
            isOfInterest: { name in
                asked.change { $0.append(name) }
                return name == "wanted"
            })
        let watch = try #require(made)
        var changes = watch.changes.makeAsyncIterator()
        try Data().write(to: root.appending(path: "other"))
        try await asked.wait("the question") { $0.last == "other" ? () : nil }
        try Data().write(to: root.appending(path: "wanted"))
        await changes.next()
        // Nothing was reported before the interesting file.
        #expect(asked.value.contains("wanted"))
        try FileManager.default.createDirectory(at: root.appending(path: "inside"), withIntermediateDirectories: false)
        await changes.next()
    }

    @Test("Changed permissions of a file or of the directory are reported", .timeLimit(.minutes(1)))
    func permissions() async throws {
        let root = URL(filePath: "/tmp/bdw-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        let file = root.appending(path: "baton.conf")
        try Data().write(to: file)
        let made = DirectoryWatch([root.path])
        let watch = try #require(made)
        var changes = watch.changes.makeAsyncIterator()
        for path in [file.path, root.path] {
            #expect(chmod(path, 0o700) == 0)
            await changes.next()
        }
    }
}
