// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests which files a crash leaves at each step of writing the state.
    struct StateWriteTests {
        /// The directory at one moment, as a kill at that moment would leave it.
        private struct Snapshot {
            var step: String
            var files: [String: Data]
        }

        private final class Snapshots: Sendable {
            private let taken = Mutex<[Snapshot]>([])
            let directory: String

            init(of directory: String) { self.directory = directory }

            func take(_ step: String) {
                var files: [String: Data] = [:]
                for name in ["state", "state.new"] {
                    files[name] = try? Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
                }
                taken.withLock { $0.append(Snapshot(step: step, files: files)) }
            }

            var all: [Snapshot] { taken.withLock(\.self) }
        }

        @Test("Reserved space belongs to its write, so simultaneous writes do not use it, and a crash frees it")
        func room() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                func files() throws -> [String: Int] {
                    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
                    return try Dictionary(
                        uniqueKeysWithValues: names.map {
                            let facts = try FileManager.default.attributesOfItem(atPath: directory + "/" + $0)
                            return ($0, (facts[.size] as? NSNumber)?.intValue ?? 0)
                        })
                }
                let file = try StateFile(directory: directory)
                let (first, second) = (try file.reserveRoom(for: 100_000), try file.reserveRoom(for: 50_000))
                try file.write([1])
                #expect(try files().values.sorted() == [0, 1, 50_000, 100_000])
                try file.write([1, 2, 3], into: first)
                #expect(try files().values.sorted() == [0, 3, 50_000])
                #expect(try file.read(limit: 10) == [1, 2, 3])
                // A reservation that was used or discarded cannot be used again.
                second.discard()
                for used in [first, second] {
                    #expect(throws: BatonError.self) { try file.write([4], into: used) }
                    used.discard()
                }
                #expect(try files() == ["lock": 0, "state": 3])
                // No disk has this much space.
                let error = #expect(throws: BatonError.self) { try file.reserveRoom(for: 1 << 56) }
                #expect(error?.code == .stateUnusable)
                _ = try file.reserveRoom(for: 10)
                file.release()
                _ = try StateFile(directory: directory)
                #expect(try files() == ["lock": 0, "state": 3])
            }
        }

        @Test("A crash at any step of a write leaves the old state or the new one, and the next start finds it")
        func everyStep() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                let snapshots = Snapshots(of: directory)
                var store = try StateStore(directory: directory, name: "old") { snapshots.take($0) }
                let first = snapshots.all.count
                try store.update { $0.name = "new" }
                let identity = store.state.identity.id
                store.release()
                var taken = Array(snapshots.all.dropFirst(first))
                #expect(taken.map(\.step) == ["unlinked", "opened", "written", "synced", "renamed"])
                // A write can stop at any byte.
                let whole = try #require(taken[2].files["state.new"])
                for count in 0..<whole.count {
                    var cut = taken[1]
                    cut.files["state.new"] = whole.prefix(count)
                    taken.append(cut)
                }
                for (index, snapshot) in taken.enumerated() {
                    // The loop syncs hundreds of writes, so let other tests run between them.
                    await Task.yield()
                    let place = world.stateDirectory("crash-\(index)")
                    try lay(snapshot, in: place)
                    var found = try StateStore(directory: place, name: "another")
                    #expect(found.state.identity.id == identity)
                    #expect(found.state.name == (snapshot.step == "renamed" ? "new" : "old"), "\(snapshot.step)")
                    // The leftover files have no effect.
                    try found.update { $0.name = "next" }
                    found.release()
                    #expect(
                        try FileManager.default.contentsOfDirectory(atPath: place).sorted() == ["lock", "state"])
                }
            }
        }

        @Test(
            "A released directory can be used even while a program that is being started still has a copy of its lock")
        func lockIsGivenBack() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                let file = try StateFile(directory: directory)
                let lock = URL(filePath: directory + "/lock").resolvingSymlinksInPath().path
                let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
                    .filter {
                        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == lock
                    }
                    .map { dup($0) }
                defer { for copy in copies { close(copy) } }
                #expect(copies.count == 1)
                #expect(throws: BatonError.self) { try StateFile(directory: directory) }
                file.release()
                try StateFile(directory: directory).release()
            }
        }

        @Test("A new state file is synced before it gets the old one's name, and the directory is synced after that")
        func syncs() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                let seen = Mutex<[String]>([])
                let file = try StateFile(directory: directory) { step in
                    seen.withLock { $0.append(step) }
                } sync: { descriptor in
                    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                    seen.withLock { $0.append("sync \(link?.replacing(directory, with: ".") ?? "?")") }
                    return fsync(descriptor)
                }
                try file.write([1])
                #expect(
                    seen.withLock(\.self) == [
                        "unlinked", "opened", "written", "sync ./state.new", "synced", "renamed", "sync .",
                    ])
                file.release()
            }
        }

        @Test("A crash during the creation of a device leaves either nothing or the complete device")
        func firstWrite() async throws {
            try await World.with { world in
                let directory = world.stateDirectory("anna")
                let snapshots = Snapshots(of: directory)
                let store = try StateStore(directory: directory, name: "new") { snapshots.take($0) }
                let identity = store.state.identity.id
                store.release()
                for (index, snapshot) in snapshots.all.enumerated() {
                    let place = world.stateDirectory("crash-\(index)")
                    try lay(snapshot, in: place)
                    let found = try StateStore(directory: place, name: "another")
                    #expect((found.state.identity.id == identity) == (snapshot.step == "renamed"))
                    found.release()
                }
            }
        }

        private func lay(_ snapshot: Snapshot, in place: String) throws {
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            for (name, data) in snapshot.files {
                #expect(
                    FileManager.default.createFile(
                        atPath: place + "/" + name, contents: data, attributes: [.posixPermissions: 0o600]))
            }
        }
    }
}
