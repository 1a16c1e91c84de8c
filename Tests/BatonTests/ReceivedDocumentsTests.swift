// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@testable import Baton

@Suite struct ReceivedDocumentsTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-copies-\(UUID().uuidString)")

    private func write(_ path: String, days: Double) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("text".utf8).write(to: file)
        for url in [file, file.deletingLastPathComponent()] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -days * 24 * 3_600)], ofItemAtPath: url.path)
        }
    }

    @MainActor @Test("An application knows the configured shared folders")
    func foldersOfTheConfiguration()
        throws
    {
        defer { try? FileManager.default.removeItem(at: root) }
        try write("folders", days: 0)
        let file = root.appending(path: "folders")
        func folders() -> SharedFolders {
            Application(declaration: ApplicationDeclaration(), delegate: nil, folders: file) { _ in }.sharedFolders
        }
        try Data("notes = /home/ada/Notes\n".utf8).write(to: file)
        #expect(folders() == SharedFolders(["notes": URL(filePath: "/home/ada/Notes", directoryHint: .isDirectory)]))
        try Data("nonsense\nnotes = /home/ada/Notes\n".utf8).write(to: file)
        #expect(Array(folders().folders.keys) == ["notes"])
        try FileManager.default.removeItem(at: file)
        #expect(folders() == SharedFolders())
    }
}
