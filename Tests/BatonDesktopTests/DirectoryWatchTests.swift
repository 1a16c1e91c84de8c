// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import BatonDesktop

/// What is watched, and what happens where nothing more can be.
@Suite struct DirectoryWatchTests {
    @Test func whereTheSystemAllowsNoMoreWatchesThereIsNoneAndItIsLookedNowAndThen() {
        for error in [ENOSPC, ENOMEM] {
            let watch = DirectoryWatch(["/tmp"]) { _, _, _ in
                errno = error
                return -1
            }
            #expect(watch == nil)
        }
    }

    @Test func whatIsNotThereOrNoDirectoryIsWatchedForFromAboveAndWhatMayNotBeReadIsLeft() {
        for error in [ENOENT, ENOTDIR] {
            var tried: [String] = []
            let watch = DirectoryWatch(["/home/ada/.config/baton"]) { _, path, _ in
                tried.append(path)
                errno = error
                return path == "/home" ? 1 : -1
            }
            #expect(watch != nil)
            #expect(tried == ["/home/ada/.config/baton", "/home/ada/.config", "/home/ada", "/home"])
        }
        var tried = 0
        let watch = DirectoryWatch(["/root/secret", "/tmp"]) { _, _, _ in
            tried += 1
            errno = EACCES
            return tried == 1 ? -1 : 1
        }
        #expect(watch != nil && tried == 2)
    }

    @Test func configurationIsWatchedWhereEachOfItsLinksLeads() throws {
        let root = URL(filePath: "/tmp/bdw-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        defer { try? FileManager.default.removeItem(at: root) }
        for directory in ["config", "a", "b"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: directory), withIntermediateDirectories: true)
        }
        let file = root.appending(path: "config/baton.conf")
        #expect(SettingsFile(file).directories == ["\(root.path)/config"])
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "../a/link")
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: "a/link").path, withDestinationPath: "\(root.path)/b/baton.conf")
        // What it leads to is not there yet.
        #expect(SettingsFile(file).directories == ["config", "a", "b"].map { "\(root.path)/\($0)" })
        // Round and round.
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: "b/baton.conf").path, withDestinationPath: file.path)
        #expect(SettingsFile(file).directories.count == 3)
    }
}
