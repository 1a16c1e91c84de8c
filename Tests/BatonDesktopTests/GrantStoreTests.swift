// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DesktopEntries
import Foundation
import Glibc
import Logging
import Testing

@testable import BatonDesktop

/// Tests the file that contains the grants.
@Suite(.timeLimit(.minutes(1))) struct GrantStoreTests {
    private let temporary: TemporaryDirectory
    private var root: URL { temporary.url }
    private let letters = SandboxedApp(.flatpak, "org.example.Letters")
    private let note = ActivityClaim(team: "example", types: ["org.example.note", "a \"b\"\\;"])

    init() throws { temporary = try TemporaryDirectory() }

    private func store() -> GrantStore { GrantStore(directory: root.path, logger: Logger(label: "test")) }

    @Test("Grants and refusals are kept in a file that only the user can read")
    func lasting() throws {
        let first = store()
        try first.change(isForLess: false) { try $0.allow(note, to: letters) }
        try first.change(isForLess: true) {
            $0.refuse(ActivityClaim(types: ["com.bank.transfer"]), to: SandboxedApp(.snap, "x_y"))
        }
        #expect(store().grants == first.grants && !first.grants.answers.isEmpty)
        let facts = try FileManager.default.attributesOfItem(atPath: root.appending(path: "grants").path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
    }

    @Test("A grant takes effect only after it is written, and a revocation takes effect at once")
    func unwritable() throws {
        let store = store()
        try store.change(isForLess: false) { try $0.allow(note, to: letters) }
        let file = root.appending(path: "grants")
        // The file cannot be written, because a directory has its name.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let more = ActivityClaim(team: "example", types: ["com.bank.transfer"])
        #expect(throws: BatonError.self) {
            try store.change(isForLess: false) { try $0.allow(more, to: letters) }
        }
        #expect(!store.entitlement(of: letters).permits("com.bank.transfer", team: "example"))
        #expect(throws: BatonError.self) {
            try store.change(isForLess: true) { $0.refuse(note, to: letters) }
        }
        #expect(!store.entitlement(of: letters).permits("org.example.note", team: "example"))
    }

    @Test("Reading an app's grants does not wait for a change to be written")
    func asking() throws {
        let store = GrantStore()
        try store.change(isForLess: false) {
            try $0.allow(note, to: letters)
            #expect(!store.entitlement(of: letters).permits("org.example.note", team: "example"))
        }
        #expect(store.entitlement(of: letters).permits("org.example.note", team: "example"))
    }

    @Test("The maximum number of entries of the maximum size can be written and read again")
    func largest() throws {
        let first = store()
        // Nearly every byte of these names takes two bytes in the file.
        let names = (0..<1_000).map { String(repeating: "\"\\", count: 125) + "\($0)" }
        let most = (1...names.count).prefix { count in
            var grants = Grants()
            return (try? grants.allow(ActivityClaim(team: "a/b", types: Set(names.prefix(count))), to: letters))
                != nil
        }
        let types = Set(names.prefix(most.count))
        try first.change(isForLess: false) { grants in
            for number in 0..<Grants.maximumApps {
                let app = SandboxedApp(.unknown, String(repeating: "\"", count: 250) + "\(number)")
                try grants.allow(ActivityClaim(team: "a/b", types: types), to: app)
            }
        }
        #expect(first.grants.answers.count == Grants.maximumApps && store().grants == first.grants)
    }

    @Test("A slash takes one byte in the file")
    func slashes() throws {
        var grants = Grants()
        try grants.allow(ActivityClaim(team: "a/b", types: ["c/d"]), to: letters)
        #expect(String(decoding: try GrantCodec.encode(grants), as: UTF8.self).contains(#""a/b":["c/d"]"#))
    }

    @Test(
        "A file that has no grants grants nothing, and is renamed",
        arguments: ["baton grants 2\n", "", String(repeating: "x", count: 200)])
    func damaged(text: String) throws {
        try Data(text.utf8).write(to: root.appending(path: "grants"))
        #expect(store().grants == Grants())
        #expect(FileManager.default.fileExists(atPath: root.appending(path: "grants.damaged").path))
    }

    private static func line(_ app: String, sandbox: String = "snap", type: String = "a.b") -> String {
        #"{"sandbox":"\#(sandbox)","application":"\#(app)","answers":{"granted":{"":["\#(type)"]},"refused":{},"dismissed":{}}}"#
    }

    @Test(
        "A line that cannot be read is ignored and logged once, and the other lines count",
        arguments: [
            "", "{}", "x", line("a", sandbox: "none"), line("a/b"), line(#"a\n"#), line("a", type: ""),
            line("first", type: "c.d"),
        ])
    func unreadable(text: String) throws {
        let lines = ["baton grants 1", Self.line("first"), text, text, Self.line("last")]
        try Data(lines.joined(separator: "\n").utf8).write(to: root.appending(path: "grants"))
        let log = Journal()
        let grants = GrantStore(directory: root.path, logger: log.logger).grants
        #expect(
            grants.answers == [
                SandboxedApp(.snap, "first"): Grants.Answers(granted: ["": ["a.b"]]),
                SandboxedApp(.snap, "last"): Grants.Answers(granted: ["": ["a.b"]]),
            ])
        #expect(log.all.count == 1 && log.all.first?.contains("2 lines of \(root.path)/grants") == true)
    }

    @Test("A file that is too large or has too many apps grants nothing, and an app with too many entries gets nothing")
    func tooMuch() throws {
        let many = (0...Grants.maximumApps).map { Self.line("a\($0)") }
        let long = (0..<300).map { "\"\(String(repeating: "t", count: 250))\($0)\"" }.joined(separator: ",")
        // The spaces are at the end, so a limited read would still get the whole text before them.
        for lines in [
            many, [Self.line("a") + String(repeating: " ", count: GrantCodec.largest)],
            [Self.line("a").replacing("\"a.b\"", with: long)],
        ] {
            try Data((["baton grants 1"] + lines).joined(separator: "\n").utf8).write(
                to: root.appending(path: "grants"))
            #expect(store().grants == Grants())
        }
    }

    @Test("Contents that would be too large to read are not written, and the old file stays")
    func privateFile() throws {
        let file = PrivateFile(path: root.appending(path: "f").path, largest: 10)
        try file.write(Data(count: 10))
        #expect(throws: PrivateFile.Failure.self) { try file.write(Data(count: 11)) }
        #expect(try file.read() == Data(count: 10))
    }

    @Test("A link or a pipe instead of the file is neither followed nor waited for")
    func links() throws {
        try GrantCodec.encode(
            {
                var grants = Grants()
                try grants.allow(note, to: letters)
                return grants
            }()
        ).write(to: root.appending(path: "elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: "grants").path, withDestinationPath: "elsewhere")
        #expect(store().grants == Grants())
        try FileManager.default.removeItem(at: root.appending(path: "grants.damaged"))
        // No process ever writes to the pipe.
        try #require(mkfifo(root.appending(path: "grants").path, 0o600) == 0)
        #expect(store().grants == Grants())
    }
}
