// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation
import Glibc
import Testing

/// Tests with real files which apps the desktop uses to open types.
@Suite struct MimeDefaultsTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-mime-\(UUID().uuidString)")

    /// Writes the files, with an entry for each app in `system`, and reads them.
    private func read(
        _ files: [String: String], apps: [String] = ["a", "b", "c"], desktops: [String] = []
    ) throws -> MimeDefaults {
        defer { try? FileManager.default.removeItem(at: root) }
        let entries = Dictionary(
            uniqueKeysWithValues: apps.map {
                ("system/\($0).desktop", "[Desktop Entry]\nType=Application\nExec=true\nName=App")
            })
        for (path, text) in entries.merging(files, uniquingKeysWith: { $1 }) {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            // `<FC>` stands for a byte of Latin-1.
            try Data(text.components(separatedBy: "<FC>").map { Array($0.utf8) }.joined(separator: [0xFC])).write(
                to: file)
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

    @Test("If there are several mimeapps.list files, the first in the specification's order takes precedence")
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

    @Test("A mimeapps.list for another desktop is ignored")
    func anotherDesktop() throws {
        let files = ["config/mate-mimeapps.list": defaults("a.desktop")]
        #expect(try read(files, desktops: ["kde"]).application(for: "text/plain") == nil)
    }

    @Test("The default app for a type is the first installed one in the list")
    func firstThatIsInstalled() throws {
        let files = [
            "config/mimeapps.list": defaults("gone.desktop;b.desktop;a.desktop"),
            "xdg/mimeapps.list": defaults("gone.desktop", "text/html"),
        ]
        let read = try read(files)
        #expect(read.application(for: "text/plain") == "b")
        #expect(read.application(for: "text/html") == nil)
    }

    @Test("Apps that the lists add for a type come first, and removed ones do not appear")
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

    @Test("An app whose entry was replaced or deleted opens no types")
    func replacedOrDeletedEntry() throws {
        let files = [
            "own/a.desktop": "[Desktop Entry]\nType=Application\nExec=true\nName=Mine",
            "own/b.desktop": "[Desktop Entry]\nType=Application\nHidden=true",
            "system/mimeinfo.cache": "[MIME Cache]\ntext/plain=a.desktop;b.desktop;c.desktop;\n",
        ]
        #expect(try read(files).applications(for: "text/plain") == ["c"])
    }

    @Test("Groups with the same name are merged, and the last line of a repeated type is used")
    func groupTwice() throws {
        let twice =
            defaults("a.desktop", "text/html") + "[Added Associations]\nimage/png=a.desktop;\n" + defaults("b.desktop")
            + defaults("c.desktop")
        let read = try read([
            "config/mimeapps.list": twice, "system/mimeinfo.cache": "[MIME Cache]\ntext/plain=a.desktop;\n",
        ])
        #expect(read.applications(for: "text/plain") == ["c", "a"])
        #expect(read.application(for: "text/html") == "a")
    }

    @Test("A line or name that is not UTF-8 does not affect other lines")
    func notUTF8() throws {
        let list = defaults("b.desktop") + "text/html=caf<FC>.desktop\nimage/<FC>=a.desktop\naudio/ogg=c.desktop\n"
        let cache = "[MIME Cache]\ntext/x-c=a.desktop;\nimage/png=Pr<FC>fung.desktop;\ntext/css=b.desktop;\n"
        let read = try read(["config/mimeapps.list": list, "system/mimeinfo.cache": cache])
        #expect(["text/plain", "audio/ogg", "text/x-c", "text/css"].map(read.application) == ["b", "c", "a", "b"])
        #expect(read.application(for: "text/html") == nil && read.application(for: "image/png") == nil)
    }

    @Test("Windows line ends are allowed, but a byte order mark or an invalid line makes a file invalid")
    func refusedFiles() throws {
        let list = defaults("b.desktop")
        #expect(
            try read(["config/mimeapps.list": list.replacing("\n", with: "\r\n")]).application(for: "text/plain") == "b"
        )
        for bad in ["\u{FEFF}" + list, list + "junk\n"] {
            let files = ["config/mimeapps.list": bad, "xdg/mimeapps.list": defaults("a.desktop")]
            #expect(try read(files).application(for: "text/plain") == "a")
        }
    }

    @Test("GLib's old defaults.list is read after mimeapps.list, only beside desktop entries, and only for defaults")
    func oldList() throws {
        let files = [
            "config/defaults.list": defaults("a.desktop", "text/css"), "own/defaults.list": defaults("b.desktop"),
            "system/defaults.list": "[Added Associations]\ntext/css=b.desktop\n" + defaults("a.desktop", "text/html"),
            "system/mimeapps.list": defaults("c.desktop", "text/html"),
        ]
        let read = try read(files)
        #expect(["text/plain", "text/html", "text/css"].map(read.application) == ["b", "c", nil])
    }

    @Test("Aliases of a type are equivalent, and apps for a more general type come last")
    func hierarchy() throws {
        let files = [
            "mime/aliases": "application/x-pdf application/pdf\n",
            "mime/subclasses": "text/x-c text/plain\ntext/plain text/x-c\n",
            "config/mimeapps.list": defaults("a.desktop") + "application/x-pdf=b.desktop\n",
            "system/mimeinfo.cache": "[MIME Cache]\ntext/x-c=c.desktop;\n",
        ]
        let read = try read(files)
        #expect(read.application(for: "application/pdf") == "b" && read.application(for: "application/x-pdf") == "b")
        #expect(read.application(for: "text/x-c") == "c")
        let without = try self.read(files.filter { $0.key != "system/mimeinfo.cache" })
        #expect(without.applications(for: "text/x-c") == ["a"])
    }

    @Test(
        "The time for a long chain of more general types grows only with the length of the chain",
        .timeLimit(.minutes(1)))
    func longHierarchy() throws {
        let types = (0...16_000).map { "application/own-\($0)" }
        let lines = zip(types, types.dropFirst()).map { "\($0) \($1)\n" }.joined()
        let read = try read(["mime/subclasses": lines, "config/mimeapps.list": defaults("a.desktop", types[16_000])])
        for _ in 1...20 { #expect(read.application(for: types[0]) == "a") }
    }

    @Test("An app that is deleted or cannot be started is not used as a default")
    func notStarted() throws {
        let files = [
            "config/mimeapps.list": defaults("gone.desktop;deleted.desktop;c.desktop"),
            "own/gone.desktop": "[Desktop Entry]\nType=Application\nExec=true\nTryExec=/opt/gone/app\n",
            "own/deleted.desktop": "[Desktop Entry]\nType=Application\nExec=true\nHidden=true\n",
        ]
        #expect(try read(files).applications(for: "text/plain") == ["c"])
    }

    @Test("Lists that are too large, not text or not files are ignored")
    func filesPassedOver() throws {
        let large = defaults("a.desktop") + String(repeating: "#", count: MimeDefaults.largestFile)
        #expect(try read(["config/mimeapps.list": large]).application(for: "text/plain") == nil)
        let nonsense =
            "x\n[\n=\n[Default Applications\ntext/plain\n[Default Applications]\n=a.desktop\ntext/plain=;.desktop;"
        #expect(try read(["config/mimeapps.list": nonsense]).application(for: "text/plain") == nil)
        let folder = ["config/mimeapps.list/inside": "", "xdg/mimeapps.list": defaults("b.desktop")]
        #expect(try read(folder).application(for: "text/plain") == "b")
    }

    @Test("The number of types, and of apps for a type, is limited")
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

/// Tests the paths of the lists.
@Suite struct MimePlacesTests {
    @Test("The directories in which defaults are searched are absolute paths, and their number is limited")
    func placesOfThisProcess() {
        let places = MimePlaces(of: .ofProcess)
        #expect(places.configuration.first?.path == BaseDirectories.configuration.path)
        #expect(places.configuration.allSatisfy { $0.path.hasPrefix("/") })
        #expect(places.configuration.count <= 17 && places.desktops.count <= 16)
    }
}
