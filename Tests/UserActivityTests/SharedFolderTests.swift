// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@Suite struct SharedFolderTests {
    private let here = SharedFolders([
        "home": URL(filePath: "/home/ada/Sync"), "work": URL(filePath: "/home/ada/Sync/work"),
    ])
    private let there = SharedFolders(["home": URL(filePath: "/srv/sync"), "work": URL(filePath: "/mnt/work/")])

    @Test(
        "A file is found at the receiver's own path",
        arguments: [
            ("/home/ada/Sync/a.txt", "/srv/sync/a.txt"), ("/home/ada/Sync/x/../b c.txt", "/srv/sync/b c.txt"),
            ("/home/ada/Sync/work/d/100%.txt", "/mnt/work/d/100%.txt"), ("/home/ada/Sync/a?b#c;d", "/srv/sync/a?b#c;d"),
        ])
    func receiversOwnPlace(sent: String, received: String) throws {
        let url = try #require(here.travelling(URL(filePath: sent)))
        #expect(there.local(url)?.path == received)
    }

    @Test("A state names a document's file by its shared folder")
    func documentInAState() {
        var state = ActivityState(activityType: "org.example.edit")
        state.userInfo = [
            .string(UserActivityDocumentURLKey): .url(URL(filePath: "/home/ada/Sync/a.txt")), "cursor": .int(3),
        ]
        #expect(state.userInfo.count == here.travelling(state).userInfo.count)
        #expect(
            here.travelling(state).userInfo[.string(UserActivityDocumentURLKey)]
                == URL(string: "baton-folder:/home/a.txt").map { .url($0) })
        state.userInfo = [.string(UserActivityDocumentURLKey): .url(URL(filePath: "/etc/passwd"))]
        #expect(here.travelling(state) == state)
    }

    @Test(
        "A file outside the shared folders is not handed over by its path",
        arguments: ["/home/ada/Sync", "/home/ada/Synchronised/a", "/etc/passwd", "/home/ada/Sync/../secret"])
    func fileOutsideDoesNotTravel(path: String) {
        #expect(here.travelling(URL(filePath: path)) == nil)
    }

    @Test(
        "A path that leads out of the folder is rejected",
        arguments: [
            "baton-folder:/home/../../etc/passwd", "baton-folder:/home/%2E%2E/secret", "baton-folder:/home/a%2F..%2Fb",
            "baton-folder:/home/..%2F%CD%98b", "baton-folder:/home/a%2F%CD%98b", "baton-folder:/home/a%00b",
            "baton-folder:/home", "baton-folder:/home/", "baton-folder:/other/a",
            "baton-folder://home/a", "file:///etc/passwd", "https://example.org/home/a", "baton-folder:/home//a",
        ])
    func pathOutOfTheFolder(text: String) throws {
        #expect(there.local(try #require(URL(string: text))) == nil)
    }

    @Test("The configuration is read, and mistakes name their line")
    func readsConfiguration() {
        let good = "# shared\n\nhome = /home/ada/Sync\nwork=/mnt/work = new\n"
        let paths = ["home": "/home/ada/Sync", "work": "/mnt/work = new"]
        #expect(read(good.utf8).folders == paths)
        #expect(read(good.utf8).mistakes.isEmpty)
        for text in ["word", "path = relative", "a/b = /c", "= /a", "home = /another", "zero = /a\0b"] {
            let (folders, mistakes) = read((good + text + "\n").utf8)
            #expect((folders, mistakes) == (paths, ["[line 5]"]), "\(text)")
        }
    }

    @Test("A line with a mistake, or not in UTF-8, does not affect other lines")
    func badLinesAmongGoodOnes() {
        let lines: [[UInt8]] = [
            Array("b = relative".utf8), Array("home = /home/ada".utf8), [0xE9] + Array(" = /caf".utf8),
            Array("work = /mnt/work".utf8), Array("home = /another".utf8),
        ]
        let (folders, mistakes) = read(lines.joined(separator: [UInt8(ascii: "\n")]).map(\.self))
        #expect(folders == ["home": "/home/ada", "work": "/mnt/work"])
        #expect(mistakes == ["[line 1]", "[line 3]", "[line 5]"])
    }

    private func read(_ configuration: some Collection<UInt8>) -> (folders: [String: String], mistakes: [String]) {
        var mistakes: [String] = []
        let folders = SharedFolders(configuration: configuration) { mistakes.append($0.path) }
        return (folders.folders.mapValues(\.path), mistakes)
    }

    @Test("Lines may have Windows line ends")
    func linesMayEndAsWindowsEndsThem() {
        let (folders, mistakes) = read("# shared\r\nhome = /home/ada/Sync\r\nwork = /mnt/work\r\n".utf8)
        #expect(folders == ["home": "/home/ada/Sync", "work": "/mnt/work"])
        #expect(mistakes.isEmpty)
    }
}
