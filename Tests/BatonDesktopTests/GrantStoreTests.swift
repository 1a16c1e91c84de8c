// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Foundation
import Logging
import Testing

@testable import BatonDesktop

/// The file of the grants.
@Suite struct GrantStoreTests {
    private let letters = SandboxedApp(.flatpak, "org.example.Letters")
    private let note = ActivityClaim(team: "example", types: ["org.example.note", "a \"b\"\\;"])

    private func withDirectory(_ body: (URL) throws -> Void) throws {
        let root = URL(filePath: "/tmp/bgs-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: root) }
        try body(root)
    }

    private func store(_ root: URL) -> GrantStore { GrantStore(directory: root.path, logger: Logger(label: "test")) }

    @Test("Grants and refusals are there again, in a file that is the user's alone")
    func lasting() throws {
        try withDirectory { root in
            let first = store(root)
            try first.change(isForLess: false) { try $0.allow(note, to: letters) }
            try first.change(isForLess: true) {
                $0.refuse(ActivityClaim(types: ["com.bank.transfer"]), to: SandboxedApp(.snap, "x_y"))
            }
            #expect(store(root).grants == first.grants && !first.grants.answers.isEmpty)
            let facts = try FileManager.default.attributesOfItem(atPath: root.appending(path: "grants").path)
            #expect(facts[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("What is granted counts only once it is written, and what is taken back counts at once")
    func unwritable() throws {
        try withDirectory { root in
            let store = store(root)
            try store.change(isForLess: false) { try $0.allow(note, to: letters) }
            let file = root.appending(path: "grants")
            // A directory cannot be replaced by a file.
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            let more = ActivityClaim(team: "example", types: ["com.bank.transfer"])
            #expect(throws: BatonBusError.self) {
                try store.change(isForLess: false) { try $0.allow(more, to: letters) }
            }
            #expect(!store.entitlement(of: letters).permits("com.bank.transfer", team: "example"))
            #expect(throws: BatonBusError.self) {
                try store.change(isForLess: true) { $0.refuse(note, to: letters) }
            }
            #expect(!store.entitlement(of: letters).permits("org.example.note", team: "example"))
        }
    }

    @Test(
        "A file that is damaged grants nothing, and is put aside",
        arguments: [
            "baton grants 2\n", "", "baton grants 1\n{}", "baton grants 1\nx",
            "baton grants 1\n{\"sandbox\":\"none\",\"application\":\"a\",\"answers\":{\"granted\":{},\"refused\":{},\"dismissed\":{}}}",
            "baton grants 1\n{\"sandbox\":\"snap\",\"application\":\"a/b\",\"answers\":{\"granted\":{},\"refused\":{},\"dismissed\":{}}}",
            "baton grants 1\n{\"sandbox\":\"snap\",\"application\":\"a\",\"answers\":{\"granted\":{\"\":[\"\"]},\"refused\":{},\"dismissed\":{}}}",
            String(repeating: "x", count: 200),
        ])
    func damaged(text: String) throws {
        try withDirectory { root in
            try Data(text.utf8).write(to: root.appending(path: "grants"))
            #expect(store(root).grants == Grants())
            #expect(FileManager.default.fileExists(atPath: root.appending(path: "grants.damaged").path))
        }
    }

    @Test("A file with more apps than may be, one app twice, or too large grants nothing")
    func tooMuch() throws {
        func line(_ app: String) -> String {
            "{\"sandbox\":\"snap\",\"application\":\"\(app)\",\"answers\":{\"granted\":{\"\":[\"a.b\"]},\"refused\":{},\"dismissed\":{}}}"
        }
        let many = (0...Grants.maximumApps).map { line("a\($0)") }
        for lines in [many, [line("a"), line("a")], [String(repeating: " ", count: GrantCodec.largest) + line("a")]] {
            try withDirectory { root in
                try Data((["baton grants 1"] + lines).joined(separator: "\n").utf8).write(
                    to: root.appending(path: "grants"))
                #expect(store(root).grants == Grants())
            }
        }
    }

    @Test("A link or a pipe in the file's place is not followed, nor waited for")
    func links() throws {
        try withDirectory { root in
            try GrantCodec.encode(
                {
                    var grants = Grants()
                    try grants.allow(note, to: letters)
                    return grants
                }()
            ).write(to: root.appending(path: "elsewhere"))
            try FileManager.default.createSymbolicLink(
                atPath: root.appending(path: "grants").path, withDestinationPath: "elsewhere")
            #expect(store(root).grants == Grants())
        }
    }
}
