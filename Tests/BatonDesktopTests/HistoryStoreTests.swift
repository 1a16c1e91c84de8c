// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Diagnosis
import Foundation
import Logging
import Synchronization
import Testing

@testable import BatonDesktop

/// Tests ``HistoryStore`` in a real directory.
@Suite(.timeLimit(.minutes(5))) struct HistoryStoreTests {
    /// A wall clock that the test sets.
    private final class Wall: Sendable {
        private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        var now: Date { date.withLock { $0 } }
        func pass(_ seconds: TimeInterval) { date.withLock { $0 += seconds } }
    }

    private let temporary: TemporaryDirectory
    private var directory: String { temporary.url.path }
    private let wall = Wall()

    init() throws { temporary = try TemporaryDirectory() }

    /// Returns a store that writes by itself only if a test asks for it.
    private func store(pause: Duration = .seconds(100_000), journal: Journal = Journal()) -> HistoryStore {
        HistoryStore(directory: directory, logger: journal.logger, pause: pause) { [wall] in wall.now }
    }

    private func note(_ store: HistoryStore, by device: String = "0a1b2c3d", type: String = "org.example.note") {
        store.note(device: device, named: "desk", application: "org.example.Notes", type: type)
    }

    private var text: String? { try? String(contentsOfFile: directory + "/history", encoding: .utf8) }

    @Test("The history outlasts the daemon, and its file is for the user only and has only the intended data")
    func nextRun() throws {
        let first = store()
        note(first)
        wall.pass(700)
        first.note(device: "0a1b2c3d", named: "desk", application: nil, type: "org.example.list")
        first.flush()
        let kept = store().entries
        #expect(kept == first.entries && kept.map(\.type) == ["org.example.list", "org.example.note"])
        #expect(kept.map(\.application) == [nil, "org.example.Notes"])
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/history")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let line = try #require(text?.split(separator: "\n").last)
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(Set(fields.keys) == ["first", "last", "device", "deviceName", "type", "count"])
    }

    @Test("Repetitions within ten minutes are counted in one entry, but separately for each laptop and type")
    func folded() throws {
        let store = store()
        for _ in 0..<5 {
            note(store)
            wall.pass(599)
            store.flush()
        }
        note(store, by: "ffffffff")
        note(store, type: "org.example.list")
        #expect(store.entries.map(\.count) == [1, 1, 5])
        let folded = try #require(store.entries.last)
        #expect(folded.last.timeIntervalSince(folded.first) == 4 * 599)
        wall.pass(1)
        note(store)
        #expect(store.entries.count == 4)
    }

    @Test("Ten thousand hand-overs in a row cause one write")
    func seldomWritten() throws {
        #expect(HistoryStore.delay == .seconds(10))
        let store = store()
        for _ in 0..<10_000 { note(store) }
        #expect(text == nil)
        store.flush()
        let before = try FileManager.default.attributesOfItem(atPath: directory + "/history")
        store.flush()
        let after = try FileManager.default.attributesOfItem(atPath: directory + "/history")
        #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
        #expect(store.entries.map(\.count) == [10_000])
    }

    @Test("A new entry is written a moment later without a request")
    func writtenByItself() async throws {
        let store = store(pause: .milliseconds(1))
        note(store)
        try await untilFiles(in: URL(filePath: directory), "it is written") { text != nil }
    }

    @Test("An entry is removed after its time, also from the file, and the file is removed with the last entry")
    func forgotten() {
        let store = store()
        store.keep(for: .seconds(86_400))
        note(store)
        store.flush()
        wall.pass(43_200)
        note(store, type: "org.example.list")
        store.flush()
        wall.pass(43_200)
        #expect(store.entries.map(\.type) == ["org.example.list"])
        #expect(text?.contains("org.example.note") == false)
        wall.pass(43_200)
        // At the next start, the expired entry is removed once the settings are known.
        let next = self.store()
        next.keep(for: .seconds(86_400))
        #expect(text == nil)
    }

    @Test("An entry is removed without any request")
    func forgottenByItself() async throws {
        let store = store()
        store.keep(for: .seconds(2))
        note(store)
        store.flush()
        // The store checks again when the entry's time is over by the clock.
        wall.pass(3)
        try await untilFiles(in: URL(filePath: directory), "the file is gone") { text == nil }
    }

    @Test("At the start no entry is lost if the history is kept for longer than the default")
    func keptLonger() {
        let first = store()
        note(first)
        first.flush()
        wall.pass(3 * 86_400)
        let next = store()
        #expect(next.entries.count == 1)
        next.keep(for: .seconds(7 * 86_400))
        #expect(next.entries.count == 1)
        next.keep(for: HistoryStore.usualLength)
        #expect(next.entries.isEmpty && text == nil)
    }

    @Test("If the clock is set back, no entry is lost, and each entry still expires")
    func clockSetBack() {
        let store = store()
        store.keep(for: HistoryStore.usualLength)
        note(store)
        store.flush()
        wall.pass(-365 * 86_400)
        #expect(store.entries.count == 1)
        wall.pass(86_399)
        #expect(store.entries.count == 1)
        wall.pass(1)
        #expect(store.entries.isEmpty)
    }

    @Test("Forgetting removes the file, and entries that were not written yet are never written")
    func forgetAll() throws {
        let store = store()
        note(store)
        store.flush()
        note(store, type: "org.example.list")
        try store.forgetAll()
        #expect(store.entries.isEmpty && text == nil)
        store.flush()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }

    @Test("A file that cannot be removed is reported, and its entries are removed from memory")
    func unremovable() throws {
        let store = store()
        note(store)
        try FileManager.default.createDirectory(atPath: directory + "/history", withIntermediateDirectories: false)
        let error = #expect(throws: BatonError.self) { try store.forgetAll() }
        #expect(error?.reason?.failure == .historyNotRemoved)
        #expect(store.entries.isEmpty)
    }

    @Test("If the history is off, nothing is kept, and existing entries are removed")
    func off() {
        let store = store()
        note(store)
        store.flush()
        store.keep(for: .zero)
        #expect(text == nil)
        note(store)
        store.flush()
        #expect(store.entries.isEmpty && text == nil)
        store.keep(for: HistoryStore.usualLength)
        note(store)
        #expect(store.entries.count == 1)
    }

    @Test("The number of entries and bytes is limited, and the oldest are removed")
    func bounded() throws {
        let store = store()
        for number in 0..<(History.capacity + 10) { note(store, type: "org.example.type\(number)") }
        #expect(store.entries.count == History.capacity)
        #expect(store.entries.last?.type == "org.example.type10")
        let long = String(repeating: "x", count: 250)
        for number in 0..<History.capacity { note(store, type: "\(number)\(long)") }
        store.flush()
        let size = try #require(text?.utf8.count)
        #expect(size <= HistoryCodec.largest && size > HistoryCodec.largest - 2_000)
        #expect(self.store().entries.first?.type.hasPrefix("999") == true)
    }

    @Test("A line that cannot be read does not affect the others")
    func damagedLine() throws {
        var history = History()
        for (type, time) in [("a", 1.0), ("b", 2.0)] {
            let date = Date(timeIntervalSince1970: time)
            history.add(
                HistoryEntry(
                    first: date, last: date, device: "1", deviceName: "sofa", application: "x", type: type, count: 1))
        }
        let lines = try HistoryCodec.encode(history).split(separator: UInt8(ascii: "\n"))
        let damaged = Data([lines[0], lines[1], Data("{}".utf8), lines[2]].joined(separator: "\n".utf8))
        #expect(try HistoryCodec.decode(damaged) == history)
    }

    @Test("A line with an impossible time or count is left out, and does not end the daemon")
    func impossibleValues() throws {
        func line(_ type: String, first: Int64 = 1_000_000, count: Int = 1) -> String {
            #"{"first":\#(first),"last":1000000,"device":"1","deviceName":"sofa","type":"\#(type)","count":\#(count)}"#
        }
        let lines = [
            "baton history 1", line("a"), line("b", first: .max), line("c", first: -1), line("d", count: .max),
            line("e", count: 0),
        ]
        let history = try HistoryCodec.decode(Data(lines.joined(separator: "\n").utf8))
        #expect(history.entries.map(\.type) == ["a"])
        #expect(try HistoryCodec.decode(HistoryCodec.encode(history)) == history)
    }

    @Test(
        "A file that cannot be read is removed, and the log reports it",
        arguments: ["", "baton history 2\n", "baton history 1\n{}", "baton history 1\nx\n"])
    func damaged(damage: String) throws {
        try Data(damage.utf8).write(to: URL(filePath: directory + "/history"))
        let journal = Journal()
        let store = store(journal: journal)
        #expect(journal.all.count { $0.contains("the history cannot be read") } == 1, "\(journal.all)")
        #expect(store.entries.isEmpty && text == nil)
    }

    @Test("Entries that could not be written are written as soon as possible, and the failure is logged once")
    func unwritable() throws {
        let journal = Journal()
        let store = store(journal: journal)
        let obstacle = directory + "/history.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        note(store)
        for _ in 0..<3 { store.flush() }
        #expect(journal.all.count { $0.contains("the history was not written") } == 1, "\(journal.all)")
        try FileManager.default.removeItem(atPath: obstacle)
        store.flush()
        #expect(self.store().entries.count == 1)
    }
}
