// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation
import Glibc
import Testing

@Suite struct DesktopEntryIndexTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-entries-\(UUID().uuidString)")

    private func write(_ text: String, _ path: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func index(_ directories: String...) -> DesktopEntryIndex {
        DesktopEntryIndex(directories: directories.map { root.appending(path: $0) }, languages: [])
    }

    @Test("The first directory counts, and a deleted entry hides those after it")
    func firstDirectoryCounts() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nName=Own", "own/a.desktop")
        try write("[Desktop Entry]\nName=System", "system/a.desktop")
        try write("[Desktop Entry]\nHidden=true", "own/b.desktop")
        try write("[Desktop Entry]\nName=Deleted", "system/b.desktop")
        let index = index("own", "system", "missing")
        #expect(index.entries.mapValues(\.name) == ["a": "Own"])
    }

    @Test("Directories inside become part of the id")
    func directoriesInside() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nName=Deep", "own/kde/suite/x.desktop")
        #expect(index("own").entries.keys.sorted() == ["kde-suite-x"])
    }

    @Test("No id names a file in another directory")
    func anotherDirectory() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nName=Own", "own/\u{358}a.desktop")
        let own = root.appending(path: "own")
        #expect(DesktopEntryIndex.entry("\u{358}a", in: [own]) != nil)
        // A slash with a combining mark behind it is another Character, and a slash all the same.
        for identifier in ["own/\u{358}a", "own/../own/\u{358}a", "", "\u{358}a\0"] {
            #expect(DesktopEntryIndex.entry(identifier, in: [root]) == nil)
        }
    }

    @Test("What is not a file, or too large, or not text, is passed over")
    func noFileOrNoText() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nName=Good", "own/good.desktop")
        try write(
            "[Desktop Entry]\n" + String(repeating: "#", count: DesktopEntryIndex.largestEntry), "own/large.desktop")
        try Data([0xff, 0xfe, 0x00]).write(to: root.appending(path: "own/bytes.desktop"))
        try FileManager.default.createDirectory(
            at: root.appending(path: "own/folder.desktop"), withIntermediateDirectories: false)
        #expect(mkfifo(root.appending(path: "own/pipe.desktop").path, 0o600) == 0)
        #expect(symlink("/dev/zero", root.appending(path: "own/zero.desktop").path) == 0)
        #expect(symlink(root.path, root.appending(path: "own/loop").path) == 0)
        #expect(index("own").entries.keys.sorted() == ["good"])
    }
}
