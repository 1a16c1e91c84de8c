// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Testing

@testable import BatonDesktop

@Suite("Shared folders, and copies of documents") struct UserFilesTests {
    @Test("A folder is added, changed and removed, and other lines stay")
    func folders() throws {
        try withDirectory { directory in
            let file = directory.appending(path: "baton/folders")
            let folders = FoldersFile(file)
            #expect(folders.folders.isEmpty)
            try folders.set("Notes", to: "/home/me/Notes")
            try Data("# mine\nwrong\nNotes = /a\nMusic = /m".utf8).write(to: file)
            #expect(folders.folders.map(\.name) == ["Music", "Notes"])
            try folders.set("Notes", to: "/b")
            try folders.set("Work", to: "/w")
            try folders.set("Music", to: "")
            #expect(try String(contentsOf: file, encoding: .utf8) == "# mine\nwrong\nNotes = /b\nWork = /w\n")
        }
    }

    @Test("Lines that end with a carriage return are lines of their own, and stay")
    func carriageReturns() throws {
        try withDirectory { directory in
            let file = directory.appending(path: "folders")
            let (before, changed, removed) = (
                "Music = /m\r\nNotes = /a\r\n", "Music = /m\r\nNotes = /b\n", "Music = /m\r\n"
            )
            try Data(before.utf8).write(to: file)
            try FoldersFile(file).set("Notes", to: "/b")
            #expect(try Data(contentsOf: file) == Data(changed.utf8))
            try FoldersFile(file).set("Notes", to: "")
            #expect(try Data(contentsOf: file) == Data(removed.utf8))
        }
    }

    @Test(
        "A folder that the file cannot hold changes nothing",
        arguments: [
            ("a/b", "/a"), ("a=b", "/a"), ("", "/a"), ("a", "relative"), ("#a", "/a"), ("a", ""), (" a", "/a"),
            ("a", "/a\n#b"),
        ])
    func wrongFolder(name: String, path: String) throws {
        try withDirectory { directory in
            let file = directory.appending(path: "folders")
            #expect(throws: BatonError.self) { try FoldersFile(file).set(name, to: path) }
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("The latest copies are listed, without links and without folders that Baton has not created")
    func copies() throws {
        try withDirectory { directory in
            #expect(DocumentCopies(directory.appending(path: "none")).copies.isEmpty)
            func copy(_ folder: String, _ name: String, age: TimeInterval) throws {
                let folder = directory.appending(path: folder)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data("12345".utf8).write(to: folder.appending(path: name))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_800_000_000 - age)], ofItemAtPath: folder.path)
            }
            let (first, second) = (UUID().uuidString, UUID().uuidString.lowercased())
            try copy(first, "old.pdf", age: 60)
            try copy(second, "new.pdf", age: 0)
            try copy("other", "private.txt", age: 0)
            let linked = directory.appending(path: UUID().uuidString)
            try FileManager.default.createSymbolicLink(
                at: linked, withDestinationURL: directory.appending(path: "other"))
            try FileManager.default.createDirectory(
                at: directory.appending(path: UUID().uuidString), withIntermediateDirectories: true)
            // LibreOffice's lock file shows that the document is open.
            let lock = directory.appending(path: "\(first)/.~lock.old.pdf#")
            try Data("me".utf8).write(to: lock)
            let copies = DocumentCopies(directory)
            #expect(copies.copies.map(\.name) == ["new.pdf", "old.pdf"] && copies.copies[0].size == 5)
            for _ in 0..<DocumentCopies.maximum + 20 { try copy(UUID().uuidString, "a", age: 3_600) }
            #expect(copies.copies.count <= DocumentCopies.maximum)
            #expect(copies.directories.count <= 1 + DocumentCopies.maximum)
        }
    }
}
