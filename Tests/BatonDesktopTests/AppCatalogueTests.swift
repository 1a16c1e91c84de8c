// SPDX-License-Identifier: Apache-2.0

import BatonDesktop
import BatonTesting
import DesktopEntries
import Foundation
import Glibc
import Testing

@Suite struct AppCatalogueTests {
    @Test("Installed and removed apps are noticed, and so are changed defaults", .timeLimit(.minutes(5)))
    func installedAndRemoved() async throws {
        try await withDirectory { root in
            // Neither directory exists at first.
            let directory = root.appending(path: "share/applications")
            let configuration = root.appending(path: "config")
            let catalogue = AppCatalogue(
                directories: [directory], languages: [], mimePlaces: MimePlaces(configuration: [configuration]))
            let (indexes, continuation) = AsyncStream.makeStream(of: DesktopEntryIndex.self)
            let watching = Task { await catalogue.watch { continuation.yield($0) } }
            defer { watching.cancel() }
            var seen = indexes.makeAsyncIterator()
            #expect(await seen.next()?.entries.isEmpty == true)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "org.example.Letters.desktop")
            try Data("[Desktop Entry]\nType=Application\nName=Letters\nExec=true".utf8).write(to: file)
            #expect(await seen.next()?.entries.keys.sorted() == ["org.example.Letters"])
            try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: false)
            try Data("[Default Applications]\ntext/plain=org.example.Letters.desktop\n".utf8)
                .write(to: configuration.appending(path: "mimeapps.list"))
            #expect(await seen.next()?.mimeDefaults.application(for: "text/plain") == "org.example.Letters")
            try FileManager.default.removeItem(at: file)
            #expect(await seen.next()?.entries.isEmpty == true)
        }
    }

    /// Runs a closure with a catalogue of a root's `data/applications` and `config`, and its
    /// changes.
    private func withCatalogue(
        prepare: (URL) throws -> Void,
        _ body: (URL, inout AsyncStream<DesktopEntryIndex>.Iterator) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baton-apps-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for directory in ["config", "dotfiles", "data", "one/applications", "two/applications", "bin"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: directory), withIntermediateDirectories: true)
        }
        try prepare(root)
        let catalogue = AppCatalogue(
            directories: [root.appending(path: "data/applications")], languages: [],
            mimePlaces: MimePlaces(configuration: [root.appending(path: "config")]),
            programs: Programs(directories: [root.appending(path: "bin").path, "/usr/bin", "/bin"]))
        let (indexes, continuation) = AsyncStream.makeStream(of: DesktopEntryIndex.self)
        let watching = Task { await catalogue.watch { continuation.yield($0) } }
        defer { watching.cancel() }
        var seen = indexes.makeAsyncIterator()
        try await body(root, &seen)
    }

    private func write(_ text: String, _ file: URL) throws { try Data(text.utf8).write(to: file) }

    private func link(_ file: URL, to target: String) throws {
        let new = file.deletingLastPathComponent().appending(path: "new-link")
        try FileManager.default.createSymbolicLink(atPath: new.path, withDestinationPath: target)
        #expect(rename(new.path, file.path) == 0)
    }

    private static let app = "[Desktop Entry]\nType=Application\nName=App\nExec=true\n"

    @Test("If a list of default apps is a link, a change of its target is noticed", .timeLimit(.minutes(5)))
    func linkedList() async throws {
        try await withCatalogue { root in
            let applications = root.appending(path: "data/applications")
            try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
            for name in ["a", "b"] { try write(Self.app, applications.appending(path: "\(name).desktop")) }
            try write("[Default Applications]\ntext/plain=a.desktop\n", root.appending(path: "dotfiles/list"))
            try link(root.appending(path: "config/mimeapps.list"), to: "../dotfiles/list")
        } _: { root, seen in
            #expect(await seen.next()?.mimeDefaults.application(for: "text/plain") == "a")
            try write("[Default Applications]\ntext/plain=b.desktop\n", root.appending(path: "dotfiles/list"))
            #expect(await seen.next()?.mimeDefaults.application(for: "text/plain") == "b")
        }
    }

    @Test("A link on the path of apps that is replaced or created is noticed", .timeLimit(.minutes(5)))
    func exchangedLink() async throws {
        try await withCatalogue { root in
            for name in ["one", "two"] {
                try write(Self.app, root.appending(path: "\(name)/applications/\(name).desktop"))
            }
            try link(root.appending(path: "profile"), to: "one")
            try link(root.appending(path: "data/applications"), to: "../profile/applications")
        } _: { root, seen in
            #expect(await seen.next()?.entries.keys.sorted() == ["one"])
            try link(root.appending(path: "profile"), to: "two")
            #expect(await seen.next()?.entries.keys.sorted() == ["two"])
            // Users of home-manager have such links.
            try link(root.appending(path: "two/applications/home-manager"), to: "../../one/applications")
            #expect(await seen.next()?.entries.keys.sorted() == ["home-manager-one", "two"])
        }
    }

    @Test("An app appears and disappears with its program", .timeLimit(.minutes(5)))
    func program() async throws {
        try await withCatalogue { root in
            let applications = root.appending(path: "data/applications")
            try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
            try write(Self.app.replacing("true", with: "reader"), applications.appending(path: "a.desktop"))
        } _: { root, seen in
            #expect(await seen.next()?.entries.isEmpty == true)
            let program = root.appending(path: "bin/reader")
            try FileManager.default.copyItem(atPath: "/bin/true", toPath: program.path)
            #expect(await seen.next()?.entries.keys.sorted() == ["a"])
            try FileManager.default.removeItem(at: program)
            #expect(await seen.next()?.entries.isEmpty == true)
        }
    }
}
