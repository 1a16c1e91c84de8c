// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Foundation
import Testing

@testable import baton

/// Tests which Firefox profiles `baton doctor` reads.
@Suite struct FirefoxProfileTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "baton-firefox-\(UUID().uuidString)")
    private static let takes =
        #"{"addons":[{"id":"a@b","active":true},{"id":"browser@batonproject.org"}],"schemaVersion":37}"#
    private static let lacks = #"{"addons":[{"id":"a@b"}]}"#

    /// Returns the newest of some profiles, each with its list and its age in seconds.
    private func newest(_ profiles: [(name: String, list: String, age: Double)], isInstalled: Bool = true) throws
        -> FirefoxProfile?
    {
        defer { try? FileManager.default.removeItem(at: root) }
        let places = ["old", "new"].map { root.appending(path: $0) }
        for (index, profile) in profiles.enumerated() {
            let directory = places[index % 2].appending(path: profile.name)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "extensions.json")
            try Data(profile.list.utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -profile.age)], ofItemAtPath: file.path)
        }
        let installed = root.appending(path: "installed")
        if isInstalled { try FileManager.default.createDirectory(at: installed, withIntermediateDirectories: true) }
        return FirefoxProfile.newest(in: places, extensionDirectory: installed)
    }

    @Test("Only the profile that was used last counts")
    func last() throws {
        let waiting = try newest([("a", Self.takes, 60), ("b", Self.lacks, 30)])
        #expect(waiting == FirefoxProfile(name: "b", knowsExtension: false))
        #expect(waiting?.findings.map(\.code) == ["extension-waiting"])
        let taken = try newest([("a", Self.takes, 30), ("b", Self.lacks, 60)])
        #expect(taken?.knowsExtension == true && taken?.findings.isEmpty == true)
    }

    @Test("Without the extension or without a profile there is no finding")
    func nothing() throws {
        #expect(try newest([("a", Self.lacks, 0)], isInstalled: false) == nil)
        #expect(try newest([]) == nil)
    }

    @Test(
        "An invalid list, or one that is too large, gives no finding",
        arguments: ["", "[]", #"{"addons":{}}"#, #"{"addons":[{}]}"#])
    func unreadable(list: String) throws {
        #expect(try newest([("a", list, 0)]) == nil)
        let large = Self.lacks + String(repeating: " ", count: FirefoxProfile.largestList)
        #expect(try newest([("a", large, 0)]) == nil)
    }

    @Test("A profile's name is shown as one line")
    func name() throws {
        let waiting = try newest([("a\nb\u{1b}[1m", Self.lacks, 0)])
        #expect(waiting?.findings == [Finding(.extensionWaiting, ["profile": "a?b?[1m"])])
    }
}
