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

    @Test("The entry in the first directory is used, and a deleted entry hides entries in later directories")
    func firstDirectoryCounts() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=Own", "own/a.desktop")
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=System", "system/a.desktop")
        try write("[Desktop Entry]\nType=Application\nHidden=true", "own/b.desktop")
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=Deleted", "system/b.desktop")
        let index = index("own", "system", "missing")
        #expect(index.entries.mapValues(\.name) == ["a": "Own"])
    }

    @Test("The names of subdirectories become part of the id")
    func directoriesInside() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=Deep", "own/kde/suite/x.desktop")
        #expect(index("own").entries.keys.sorted() == ["kde-suite-x"])
    }

    @Test("An id cannot name a file in another directory")
    func anotherDirectory() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=Own", "own/\u{358}a.desktop")
        let own = root.appending(path: "own")
        #expect(DesktopEntryIndex.entry("\u{358}a", in: [own]) != nil)
        // A slash with a combining mark is a different Character, but still a slash in a path.
        for identifier in ["own/\u{358}a", "own/../own/\u{358}a", "", "\u{358}a\0"] {
            #expect(DesktopEntryIndex.entry(identifier, in: [root]) == nil)
        }
    }

    @Test("Entries that are not files, too large or not text are ignored")
    func noFileOrNoText() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=Good", "own/good.desktop")
        try write(
            "[Desktop Entry]\nType=Application\nExec=true\n"
                + String(repeating: "#", count: DesktopEntryIndex.largestEntry), "own/large.desktop")
        try Data([0xff, 0xfe, 0x00]).write(to: root.appending(path: "own/bytes.desktop"))
        try FileManager.default.createDirectory(
            at: root.appending(path: "own/folder.desktop"), withIntermediateDirectories: false)
        #expect(mkfifo(root.appending(path: "own/pipe.desktop").path, 0o600) == 0)
        #expect(symlink("/dev/zero", root.appending(path: "own/zero.desktop").path) == 0)
        #expect(symlink(root.path, root.appending(path: "own/loop").path) == 0)
        #expect(index("own").entries.keys.sorted() == ["good"])
    }

    @Test("A link to a directory is read like a directory, except in a loop")
    func linksToDirectories() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write(
            "[Desktop Entry]\nType=Application\nExec=true\nName=App",
            "profile/share/applications/org.example.App.desktop")
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=Good", "own/good.desktop")
        #expect(symlink("../profile/share/applications", root.appending(path: "own/home-manager").path) == 0)
        #expect(symlink("../..", root.appending(path: "profile/share/applications/up").path) == 0)
        #expect(index("own").entries.keys.sorted() == ["good", "home-manager-org.example.App"])
        #expect(
            DesktopEntryIndex.entry("home-manager-org.example.App", in: [root.appending(path: "own")])?.name == "App")
    }

    @Test("A name or text that is not UTF-8 does not affect other entries")
    func notUTF8() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nType=Application\nExec=true\nName=Good", "own/good.desktop")
        let text =
            Array("[Desktop Entry]\nType=Application\nExec=true\nName=Latin\nComment=Pr".utf8) + [0xFC]
            + Array("fung\n".utf8)
        try Data(text).write(to: root.appending(path: "own/latin.desktop"))
        let name =
            Array("\(root.path)/own/Pr".utf8CString.dropLast()) + [CChar(bitPattern: 0xFC)]
            + Array("f.desktop".utf8CString)
        let file = open(name, O_CREAT | O_WRONLY, 0o600)
        #expect(file >= 0)
        close(file)
        #expect(index("own").entries.mapValues(\.name) == ["good": "Good", "latin": "Latin"])
    }

    @Test("An entry whose program is missing, or that gives no way to start the app, does not count as an app")
    func cannotBeStarted() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let entries = [
            "there": "Exec=true", "tried": "Exec=true\nTryExec=/bin/sh", "named": "Exec=/bin/sh -c true",
            "gone": "Exec=/opt/gone/app", "unknown": "Exec=baton-is-no-such-program", "file": "Exec=/etc/passwd",
            "untried": "Exec=true\nTryExec=/opt/gone/app", "relative": "Exec=./true", "empty": "Exec=",
            "quote": "Exec=true \"",
            "org.example.Bus": "DBusActivatable=true", "org.example.Gone": "DBusActivatable=true\nExec=/opt/gone/app",
        ]
        for (name, lines) in entries {
            try write("[Desktop Entry]\nType=Application\nName=App\n\(lines)", "own/\(name).desktop")
        }
        #expect(index("own").entries.keys.sorted() == ["named", "org.example.Bus", "there", "tried"])
        let own = root.appending(path: "own")
        #expect(
            entries.keys.filter { DesktopEntryIndex.entry($0, in: [own]) != nil }.sorted() == [
                "named", "org.example.Bus", "there", "tried",
            ])
    }

    @Test("A user's entry whose program is missing does not hide a system app, but a deleted entry does")
    func entryOfTheSystem() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        for name in ["a", "b", "c"] {
            try write("[Desktop Entry]\nType=Application\nExec=true\nName=System", "system/\(name).desktop")
        }
        try write("[Desktop Entry]\nType=Application\nExec=/opt/gone/app\nName=Mine", "own/a.desktop")
        try write("junk", "own/b.desktop")
        try write("[Desktop Entry]\nType=Application\nHidden=true\nName=Mine", "own/c.desktop")
        #expect(index("own", "system").entries.mapValues(\.name) == ["a": "System", "b": "System"])
    }

    @Test("The index knows all programs that entries name, even missing ones")
    func programNames() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("[Desktop Entry]\nType=Application\nExec=/opt/gone/app %U\nTryExec=gone", "own/a.desktop")
        #expect(index("own").programNames == ["/opt/gone/app", "gone"])
    }
}
