// SPDX-License-Identifier: Apache-2.0

import BatonDesktop
import DesktopEntries
import Foundation
import Testing

@Suite struct AppCatalogueTests {
    @Test("Apps that are installed and removed are seen, and defaults that change", .timeLimit(.minutes(5)))
    func installedAndRemoved() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "baton-apps-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        // Neither directory is there at first.
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
        try Data("[Desktop Entry]\nName=Letters".utf8).write(to: file)
        #expect(await seen.next()?.entries.keys.sorted() == ["org.example.Letters"])
        try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: false)
        try Data("[Default Applications]\ntext/plain=org.example.Letters.desktop\n".utf8)
            .write(to: configuration.appending(path: "mimeapps.list"))
        #expect(await seen.next()?.mimeDefaults.application(for: "text/plain") == "org.example.Letters")
        try FileManager.default.removeItem(at: file)
        #expect(await seen.next()?.entries.isEmpty == true)
    }
}
