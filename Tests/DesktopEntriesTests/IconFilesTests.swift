// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation
import Testing

@Suite struct IconFilesTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-icons-\(UUID().uuidString)")

    private func write(_ paths: String...) throws {
        for path in paths {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
        }
    }

    /// Returns the files of an icon as paths relative to the test's directory.
    private func files(of icon: String) -> [String] {
        IconFiles.paths(of: icon, in: ["own", "system", "missing"].map { root.appending(path: $0) })
            .map { String($0.dropFirst(root.path.count + 1)) }
    }

    @Test("Files are ordered by directory first, and then by size")
    func firstDirectoryThenSize() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write(
            "system/pixmaps/notes.svg", "system/icons/hicolor/256x256/apps/notes.png",
            "system/icons/hicolor/48x48/apps/notes.png", "system/icons/hicolor/scalable/apps/notes.svg",
            "own/icons/hicolor/128x128/apps/notes.png", "own/icons/hicolor/48x48/apps/notes.xpm")
        #expect(
            files(of: "notes") == [
                "own/icons/hicolor/128x128/apps/notes.png", "system/icons/hicolor/48x48/apps/notes.png",
                "system/icons/hicolor/scalable/apps/notes.svg", "system/icons/hicolor/256x256/apps/notes.png",
                "system/pixmaps/notes.svg",
            ])
    }

    @Test("An icon that is a path is that file, if it exists")
    func pathIsItself() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("notes.png")
        #expect(files(of: root.appending(path: "notes.png").path) == ["notes.png"])
        #expect(files(of: "/nowhere/notes.png") == [])
    }

    @Test("An invalid name has no file", arguments: ["../../../../notes", "apps/notes", "", "no\0tes"])
    func nameThatIsNoneHasNoFile(_ name: String) throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("notes.png", "own/notes.png", "own/icons/hicolor/48x48/apps/apps/notes.png")
        #expect(files(of: name) == [])
    }
}
