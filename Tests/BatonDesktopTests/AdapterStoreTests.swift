// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DesktopEntries
import Foundation
import Logging
import Testing

@testable import BatonDesktop

/// Tests how the user's answers about adapters are stored.
@Suite(.timeLimit(.minutes(1))) struct AdapterStoreTests {
    private let temporary: TemporaryDirectory
    private var root: URL { temporary.url }
    private let name = "org.example.Adapter"

    init() throws { temporary = try TemporaryDirectory() }

    private func store() -> AdapterStore {
        AdapterStore(directory: root.path, logger: Logger(label: "test"))
    }

    @Test(
        "Answers are kept in a file that only the user can read, and do not apply after the adapter's entry has changed"
    )
    func lasting() throws {
        try store().answer(true, to: name, entry: Array("one".utf8), among: [name, "b"])
        try store().answer(false, to: "b", entry: Array("two".utf8), among: [name, "b"])
        let second = store()
        #expect(second.answer(to: name, entry: Array("one".utf8)) == true)
        #expect(second.answer(to: "b", entry: Array("two".utf8)) == false)
        #expect(
            second.answer(to: name, entry: Array("One".utf8)) == nil
                && second.answer(to: "c", entry: Array("one".utf8)) == nil)
        let facts = try FileManager.default.attributesOfItem(atPath: root.appending(path: "adapters").path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
    }

    @Test("A permission takes effect only after it is written, and a refusal takes effect at once")
    func unwritable() throws {
        let store = store()
        try store.answer(true, to: name, entry: Array("one".utf8), among: [name])
        let file = root.appending(path: "adapters")
        // The file cannot be written, because a directory has its name.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(throws: BatonError.self) {
            try store.answer(true, to: "b", entry: Array("two".utf8), among: [name, "b"])
        }
        #expect(store.answer(to: "b", entry: Array("two".utf8)) == nil)
        #expect(throws: BatonError.self) {
            try store.answer(false, to: name, entry: Array("one".utf8), among: [name])
        }
        #expect(store.answer(to: name, entry: Array("one".utf8)) == false)
    }

    @Test(
        "A file that cannot be read is renamed, and its answers are lost",
        arguments: ["", "something else", "baton adapters 1\nnonsense", "baton adapters 2\n"])
    func damaged(text: String) throws {
        try Data(text.utf8).write(to: root.appending(path: "adapters"))
        #expect(store().answer(to: name, entry: Array("one".utf8)) == nil)
        #expect(FileManager.default.fileExists(atPath: root.appending(path: "adapters.damaged").path))
    }

    @Test("A line that cannot be read does not affect the others")
    func damagedLine() throws {
        for (name, isAllowed) in [("a", true), ("c", false)] {
            try store().answer(isAllowed, to: name, entry: Array("one".utf8), among: ["a", "c"])
        }
        let file = root.appending(path: "adapters")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        try Data("\(lines[0])\n\(lines[1])\nnonsense\n\(lines[2])".utf8).write(to: file)
        for _ in 1...2 {
            #expect(store().answer(to: "a", entry: Array("one".utf8)) == true)
            #expect(store().answer(to: "c", entry: Array("one".utf8)) == false)
        }
        #expect(FileManager.default.fileExists(atPath: root.appending(path: "adapters.damaged").path))
    }

    @Test("The file can hold answers about as many adapters as there may be, and drops those about removed adapters")
    func largest() throws {
        let names = (10..<74).map { "\($0)" + String(repeating: "\"", count: 253) }
        #expect(names.count == DesktopEntryIndex.maximumAdapters)
        for name in names { try store().answer(true, to: name, entry: Array("one".utf8), among: names) }
        #expect(names.allSatisfy { store().answer(to: $0, entry: Array("one".utf8)) == true })
        try store().answer(true, to: name, entry: Array("one".utf8), among: [name, names[0]])
        #expect(store().answer(to: names[0], entry: Array("one".utf8)) == true)
        #expect(store().answer(to: names[1], entry: Array("one".utf8)) == nil)
    }
}
