// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import DirectoryWatching

/// Tests which directories are watched, and what happens when the system allows no more watches.
@Suite struct DirectoryWatchTests {
    @Test("If the system allows no more watches, creating a watch returns nil")
    func noMoreWatches() {
        for error in [ENOSPC, ENOMEM] {
            let inotify = Inotify { _, _, _ in
                errno = error
                return -1
            }
            #expect(DirectoryWatch(["/tmp"], on: inotify) == nil)
        }
    }

    @Test("If a path is missing, not a directory or unreadable, a directory above it is watched")
    func watchedFromAbove() {
        for error in [ENOENT, ENOTDIR, EACCES] {
            let tried = Mutex<[String]>([])
            let inotify = Inotify { _, path, _ in
                tried.withLock { $0.append(path) }
                errno = error
                return path == "/home" ? 1 : -1
            }
            #expect(DirectoryWatch(["/home/ada/.config/baton"], on: inotify) != nil)
            // The watch tries all paths twice, because a directory may appear before the one above
            // it is watched.
            let paths = ["/home/ada/.config/baton", "/home/ada/.config", "/home/ada", "/home"]
            #expect(tried.withLock(\.self) == paths + paths)
        }
    }

    @Test("All watches of a process use one inotify instance, of which a user has few")
    func oneInstance() throws {
        let descriptors = Mutex<Set<Int32>>([])
        let inotify = Inotify { descriptor, path, events in
            descriptors.withLock { _ = $0.insert(descriptor) }
            return inotify_add_watch(descriptor, path, events)
        }
        let watches = try (0..<500).map { _ in try #require(DirectoryWatch(["/tmp", "/"], on: inotify)) }
        #expect(descriptors.withLock(\.count) == 1)
        withExtendedLifetime(watches) {}
    }

    @Test("A directory that appears while its watch begins is watched, and its appearance is reported")
    func appearingMeanwhile() async throws {
        try await withDirectory { root in
            let wanted = root.appending(path: "wanted")
            let seen = Mutex<Set<String>>([])
            let inotify = Inotify { descriptor, path, events in
                if path == root.path, seen.withLock(\.isEmpty) {
                    try? FileManager.default.createDirectory(at: wanted, withIntermediateDirectories: false)
                }
                let number = inotify_add_watch(descriptor, path, events)
                if number >= 0 { seen.withLock { _ = $0.insert(path) } }
                return number
            }
            let watch = try #require(DirectoryWatch([wanted.path], on: inotify))
            #expect(seen.withLock(\.self) == [root.path, wanted.path])
            try Data().write(to: wanted.appending(path: "file"))
            await DirectoryWatch.change(watch)
        }
    }

    @Test("A change that came while the watch was being added is reported", .timeLimit(.minutes(1)))
    func changeMeanwhile() async throws {
        let root = URL(filePath: "/tmp/bdw-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        defer { try? FileManager.default.removeItem(at: root) }
        let (one, two) = (root.appending(path: "one"), root.appending(path: "two"))
        for directory in [one, two] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        let reported = DispatchSemaphore(value: 0)
        let mayWait = Mutex(false)
        let inotify = Inotify { descriptor, path, events in
            // The first directory is watched by now. Wait until its change has been read.
            if path == two.path, mayWait.withLock(\.self) {
                try? Data().write(to: one.appending(path: "file"))
                reported.wait()
            }
            return inotify_add_watch(descriptor, path, events)
        }
        let made = DirectoryWatch(
            [one.path], on: inotify,
            isOfInterest: { _ in
                reported.signal()
                return true
            })
        let other = try #require(made)
        mayWait.withLock { $0 = true }
        let watch = try #require(DirectoryWatch([one.path, two.path], on: inotify))
        await DirectoryWatch.change(watch)
        withExtendedLifetime(other) {}
    }

    @Test("Watches of the same directory end independently of each other", .timeLimit(.minutes(1)))
    func sameDirectory() async throws {
        try await withDirectory { root in
            let kept = try #require(DirectoryWatch([root.path]))
            var other = DirectoryWatch([root.path])
            for name in ["both", "one"] {
                try Data().write(to: root.appending(path: name))
                await DirectoryWatch.change(kept)
                if let watch = other { await DirectoryWatch.change(watch) }
                other = nil
            }
            // When a directory's last watch ends, the kernel's watch ends too. The next watch
            // creates a new watch of the kernel.
            for _ in 0..<3 {
                let again = try #require(DirectoryWatch([root.path]))
                try FileManager.default.createDirectory(
                    at: root.appending(path: UUID().uuidString), withIntermediateDirectories: false)
                await DirectoryWatch.change(again)
            }
        }
    }

    @Test("Only changes of directories and of interesting files are reported", .timeLimit(.minutes(1)))
    func filesOfInterest() async throws {
        try await withDirectory { root in
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
            // No file was reported before the interesting file.
            #expect(asked.value.contains("wanted"))
            try FileManager.default.createDirectory(
                at: root.appending(path: "inside"), withIntermediateDirectories: false)
            await changes.next()
        }
    }

    @Test("Changed permissions of a file or of the directory are reported", .timeLimit(.minutes(1)))
    func permissions() async throws {
        try await withDirectory { root in
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
}
