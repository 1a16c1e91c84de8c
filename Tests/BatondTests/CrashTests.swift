// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import BatonService

/// Real processes that die, and what is left of them.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CrashTests {
    /// Runs the program that writes a state to its end; the signal that ended it, 0 for none.
    private func write(_ letter: Character, count: Int, until step: String, in directory: URL) async throws -> Int32 {
        let process = try await ChildProcess(
            Sandbox.built("state-writer"), [directory.path, String(letter), String(count), step])
        guard case .killed(let signal) = try await process.end else { return 0 }
        return signal
    }

    private func state(_ directory: URL) throws -> [UInt8] {
        Array(try Data(contentsOf: directory.appending(path: "state")))
    }

    @Test(
        "A process that is killed at a step of a write leaves the old state or the new one", arguments: StateFile.steps)
    func killedAtAStep(step: String) async throws {
        try await RunningDaemon.withRoot { root in
            let directory = root.appending(path: "state")
            let (old, new) = (
                [UInt8](repeating: UInt8(ascii: "o"), count: 5_000), [UInt8](repeating: UInt8(ascii: "n"), count: 9_000)
            )
            var end = try await write("o", count: old.count, until: "-", in: directory)
            #expect(end == 0)
            end = try await write("n", count: new.count, until: step, in: directory)
            #expect(end == SIGKILL)
            #expect(try state(directory) == (step == "renamed" ? new : old))
            // What lies about does not keep the next one from being written.
            #expect(try await write("n", count: new.count, until: "-", in: directory) == 0)
            #expect(try state(directory) == new)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["lock", "state"])
        }
    }

    @Test("A process that is killed at any moment while it writes leaves a whole state")
    func killedAtAnyMoment() async throws {
        try await RunningDaemon.withRoot { root in
            let directory = root.appending(path: "state")
            let count = 1 << 20
            for round in 1...10 {
                let writer = try await Program(
                    "state-writer", [directory.path, "x", String(count), "forever"], bus: "")
                for _ in 1...round { try await writer.line("written") }
                await writer.kill()
                let bytes = try state(directory)
                #expect(bytes.count == count && bytes.allSatisfy { $0 == bytes[0] })
            }
        }
    }

    @Test("A daemon that is killed while it writes has the old name or the new one afterwards, and its keys")
    func killedDaemon() async throws {
        try await RunningDaemon.withRoot { root in
            var names: Set<String> = ["name0"]
            var device: Substring?
            for round in 1...4 {
                let daemon = try await RunningDaemon.start(in: root)
                #expect(await daemon.isServing())
                if round == 1 { #expect(try await daemon.baton(["rename", "name0"]).status == 0) }
                let line = try #require(
                    try await daemon.baton(["status"]).text.split(separator: "\n").first { $0.hasPrefix("device ") })
                let words = line.split(separator: " ")
                #expect(words.count == 3 && names.contains(String(words[1])))
                #expect(device == nil || words.last == device)
                device = words.last
                names = [String(words[1]), "name\(round)"]
                // Killed without waiting for the answer.
                let rename = try await Program("baton", ["rename", "name\(round)"], bus: daemon.bus.address)
                #expect(await daemon.end(SIGKILL).signal == SIGKILL)
                await rename.end()
            }
        }
    }

    @Test(
        "A crash ends the daemon at once, and no core is written, which would hold its keys",
        arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP])
    func noCore(signal: Int32) async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root, limits: "ulimit -c unlimited")
            try await expectNoCore(of: daemon, limit: "1", when: signal)
        }
    }

    @Test("Nor does a core come of a daemon under the limit of the unit that is installed")
    func noCoreInTheUnit() async throws {
        let unit = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../Systemd/batond.service").standardized,
            encoding: .utf8)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("LimitCORE=") })
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(
                in: root, limits: "prlimit --core=\(line.dropFirst(10)):\(line.dropFirst(10)) --pid $$")
            try await expectNoCore(of: daemon, limit: "1", when: SIGABRT)
        }
    }

    @Test("Where no core may be written at all the limit stays, and what Linux may pass on holds no memory")
    func noCoreAllowed() async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root, limits: "ulimit -c 0")
            try await expectNoCore(of: daemon, limit: "0", when: SIGABRT)
        }
    }

    /// Ends a daemon by a signal that leaves a core otherwise.
    private func expectNoCore(of daemon: RunningDaemon, limit: String, when signal: Int32) async throws {
        #expect(await daemon.isServing())
        let limits = try String(contentsOfFile: "/proc/\(daemon.processID)/limits", encoding: .utf8)
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ")[4] == limit, "1 is what keeps Linux from any core: \(core)")
        let filter = try String(contentsOfFile: "/proc/\(daemon.processID)/coredump_filter", encoding: .utf8)
        #expect(UInt32(filter.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) == 0)
        let before = try FileManager.default.contentsOfDirectory(atPath: daemon.root.path).sorted()
        #expect(await daemon.end(signal).signal == signal)
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.root.path).sorted() == before)
    }
}
