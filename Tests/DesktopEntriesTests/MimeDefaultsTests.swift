// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation
import Glibc
import Testing

/// Which app the desktop opens what with, by real files.
@Suite struct MimeDefaultsTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-mime-\(UUID().uuidString)")

    /// Writes the files, with an entry of each app in `system`, and reads what they say.
    private func read(
        _ files: [String: String], apps: [String] = ["a", "b", "c"], desktops: [String] = []
    ) throws -> MimeDefaults {
        defer { try? FileManager.default.removeItem(at: root) }
        let entries = Dictionary(
            uniqueKeysWithValues: apps.map { ("system/\($0).desktop", "[Desktop Entry]\nName=App") })
        for (path, text) in entries.merging(files, uniquingKeysWith: { $1 }) {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        func directories(_ names: String...) -> [URL] { names.map { root.appending(path: $0) } }
        return DesktopEntryIndex(
            directories: directories("own", "system"), languages: [],
            mimePlaces: MimePlaces(configuration: directories("config", "xdg"), desktops: desktops)
        ).mimeDefaults
    }

    private func defaults(_ app: String, _ type: String = "text/plain") -> String {
        "[Default Applications]\n\(type)=\(app)\n"
    }

    @Test("The files count in the specification's order")
    func orderOfFiles() throws {
        var files = [
            "config/mate-mimeapps.list": defaults("a.desktop"), "config/mimeapps.list": defaults("b.desktop"),
            "xdg/mate-mimeapps.list": defaults("c.desktop"), "xdg/mimeapps.list": defaults("a.desktop"),
            "own/mate-mimeapps.list": defaults("b.desktop"), "own/mimeapps.list": defaults("c.desktop"),
            "system/mate-mimeapps.list": defaults("a.desktop"), "system/mimeapps.list": defaults("b.desktop"),
            "system/mimeinfo.cache": "[MIME Cache]\ntext/plain=c.desktop;\n",
        ]
        var order: [String?] = []
        while !files.isEmpty {
            let app = try read(files, desktops: ["x", "mate"]).application(for: "text/plain")
            order.append(app)
            let first = try #require(
                ["config/mate-", "config/", "xdg/mate-", "xdg/", "own/mate-", "own/", "system/mate-", "system/"]
                    .map { "\($0)mimeapps.list" }.first { files[$0] != nil } ?? "system/mimeinfo.cache")
            files[first] = nil
        }
        #expect(order == ["a", "b", "c", "a", "b", "c", "a", "b", "c"])
    }

    @Test("The list of another desktop does not count")
    func anotherDesktop() throws {
        let files = ["config/mate-mimeapps.list": defaults("a.desktop")]
        #expect(try read(files, desktops: ["kde"]).application(for: "text/plain") == nil)
    }

    @Test("The default is the first that is installed")
    func firstThatIsInstalled() throws {
        let files = [
            "config/mimeapps.list": defaults("gone.desktop;b.desktop;a.desktop"),
            "xdg/mimeapps.list": defaults("gone.desktop", "text/html"),
        ]
        let read = try read(files)
        #expect(read.application(for: "text/plain") == "b")
        #expect(read.application(for: "text/html") == nil)
    }

    @Test("Added apps come first, and removed ones not at all")
    func addedAndRemovedApps() throws {
        let files = [
            "config/mimeapps.list": "[Added Associations]\ntext/plain=c.desktop;\n"
                + "[Removed Associations]\ntext/plain=a.desktop;\n",
            "own/mimeapps.list": "[Added Associations]\ntext/plain=a.desktop;b.desktop\n",
            "system/mimeinfo.cache": "[MIME Cache]\ntext/plain=a.desktop;b.desktop;c.desktop;\ntext/html=a.desktop;\n",
        ]
        let read = try read(files)
        #expect(read.applications(for: "text/plain") == ["c", "b"])
        #expect(read.applications(for: "text/html") == ["a"])
    }

    @Test("An entry that is replaced opens nothing, and one that is deleted neither")
    func replacedOrDeletedEntry() throws {
        let files = [
            "own/a.desktop": "[Desktop Entry]\nName=Mine", "own/b.desktop": "[Desktop Entry]\nHidden=true",
            "system/mimeinfo.cache": "[MIME Cache]\ntext/plain=a.desktop;b.desktop;c.desktop;\n",
        ]
        #expect(try read(files).applications(for: "text/plain") == ["c"])
    }

    @Test("Files that are too large, or no text, or no files, are passed over")
    func filesPassedOver() throws {
        let large = defaults("a.desktop") + String(repeating: "#", count: MimeDefaults.largestFile)
        #expect(try read(["config/mimeapps.list": large]).application(for: "text/plain") == nil)
        let nonsense =
            "x\n[\n=\n[Default Applications\ntext/plain\n[Default Applications]\n=a.desktop\ntext/plain=;.desktop;"
        #expect(try read(["config/mimeapps.list": nonsense]).application(for: "text/plain") == nil)
        let folder = ["config/mimeapps.list/inside": "", "xdg/mimeapps.list": defaults("b.desktop")]
        #expect(try read(folder).application(for: "text/plain") == "b")
    }

    @Test("The types, and the apps of a type, have limits")
    func typeAndAppLimits() throws {
        let apps = (0...MimeDefaults.maximumApps).map { "app\($0 + 100)" }
        let all = apps.map { "\($0).desktop" }.joined(separator: ";")
        let many = (0...MimeDefaults.maximumTypes).map { "t\($0 + 100_000)=app100.desktop\n" }.joined()
        let read = try read(
            [
                "system/mimeinfo.cache": "[MIME Cache]\ntext/plain=\(all)\n",
                "config/mimeapps.list": "[Default Applications]\n\(many)",
            ],
            apps: apps)
        #expect(read.applications(for: "text/plain") == apps.dropLast())
        #expect(read.application(for: "t\(MimeDefaults.maximumTypes + 99_999)") == "app100")
        #expect(read.application(for: "t\(MimeDefaults.maximumTypes + 100_000)") == nil)
    }
}

/// Where the lists are.
@Suite struct MimePlacesTests {
    @Test("The places of this process are absolute and few")
    func placesOfThisProcess() {
        let places = MimePlaces(of: .ofProcess)
        #expect(places.configuration.first?.path == BaseDirectories.configuration.path)
        #expect(places.configuration.allSatisfy { $0.path.hasPrefix("/") })
        #expect(places.configuration.count <= 17 && places.desktops.count <= 16)
    }
}
