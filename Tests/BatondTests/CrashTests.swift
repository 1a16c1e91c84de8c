// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import BatonService

/// Tests what real processes leave on disk when they crash or are killed.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CrashTests {
    private let temporary: TemporaryDirectory
    private var root: URL { temporary.url }

    init() throws { temporary = try TemporaryDirectory() }

    /// Runs the program that writes a state until it ends. Returns the signal that killed the
    /// program, or 0.
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
        let directory = root.appending(path: "state")
        let (old, new) = (
            [UInt8](repeating: UInt8(ascii: "o"), count: 5_000), [UInt8](repeating: UInt8(ascii: "n"), count: 9_000)
        )
        var end = try await write("o", count: old.count, until: "-", in: directory)
        #expect(end == 0)
        end = try await write("n", count: new.count, until: step, in: directory)
        #expect(end == SIGKILL)
        #expect(try state(directory) == (step == "renamed" ? new : old))
        // The leftover files do not prevent the next write.
        #expect(try await write("n", count: new.count, until: "-", in: directory) == 0)
        #expect(try state(directory) == new)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["lock", "state"])
    }

    @Test("A process that is killed at any moment of a write leaves a complete state")
    func killedAtAnyMoment() async throws {
        let directory = root.appending(path: "state")
        let count = 1 << 20
        for round in 1...10 {
            let writer = try await Program("state-writer", [directory.path, "x", String(count), "forever"], bus: "")
            for _ in 1...round { try await writer.line("written") }
            await writer.kill()
            let bytes = try state(directory)
            #expect(bytes.count == count && bytes.allSatisfy { $0 == bytes[0] })
        }
    }

    @Test("A daemon that is killed in the middle of a write keeps its former name and its keys")
    func killedDaemon() async throws {
        var daemon = try await RunningDaemon.serving(in: root)
        for round in 1...4 {
            var before = ""
            var number = 0
            repeat {
                number += 1
                #expect(try await daemon.baton(["rename", "name\(round)-\(number)"]).status == 0)
                before = try await device(of: daemon)
            } while try await !isKilledWriting(daemon, renamed: "other\(round)-\(number)")
            daemon = try await RunningDaemon.serving(in: root)
            #expect(try await device(of: daemon) == before)
        }
        _ = await daemon.end()
    }

    /// Returns a daemon's name and id from its status.
    private func device(of daemon: RunningDaemon) async throws -> String {
        let status = try await daemon.baton(["status"]).text
        return String(try #require(status.split(separator: "\n").first { $0.hasPrefix("device ") }))
    }

    /// Renames a daemon, and stops it when it begins to write the name. Kills it, or lets it
    /// continue if the new state has already replaced the old one.
    ///
    /// - Returns: Whether it was killed.
    private func isKilledWriting(_ daemon: RunningDaemon, renamed name: String) async throws -> Bool {
        let directory = RunningDaemon.state(in: daemon.root).path
        let watch = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(watch) }
        try #require(inotify_add_watch(watch, directory, UInt32(IN_CREATE)) >= 0)
        let rename = try await Program("baton", ["rename", name], bus: daemon.bus.address)
        try #require(await hasStopped(daemon.processID, atAnEventOf: watch), "nothing is written")
        guard access(directory + "/state.new", F_OK) == 0 else {
            kill(daemon.processID, SIGCONT)
            _ = try? await rename.line("its end") { _ in false }
            return false
        }
        #expect(await daemon.end(SIGKILL).signal == SIGKILL)
        await rename.end()
        return true
    }

    /// Stops a process with all its threads at an event of the watch. Returns false if no such
    /// event comes.
    private func hasStopped(_ process: Int32, atAnEventOf watch: Int32) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var event = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
                guard poll(&event, 1, 30_000) == 1, kill(process, SIGSTOP) == 0 else {
                    return continuation.resume(returning: false)
                }
                var stop = siginfo_t()
                continuation.resume(returning: waitid(P_PID, id_t(process), &stop, WSTOPPED) == 0)
            }
        }
    }

    @Test(
        "A crash ends the daemon at once, without a core, which would contain its keys",
        arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP])
    func noCore(signal: Int32) async throws {
        let daemon = try await RunningDaemon.start(in: root, limits: "ulimit -c unlimited")
        try await expectNoCore(of: daemon, limit: "1", when: signal)
    }

    @Test("A daemon with the core limit of the installed unit leaves no core either")
    func noCoreInTheUnit() async throws {
        let unit = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../Systemd/batond.service").standardized,
            encoding: .utf8)
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("LimitCORE=") })
        let daemon = try await RunningDaemon.start(
            in: root, limits: "prlimit --core=\(line.dropFirst(10)):\(line.dropFirst(10)) --pid $$")
        try await expectNoCore(of: daemon, limit: "1", when: SIGABRT)
    }

    @Test(
        "If no core may be written, the limit stays, and a core that Linux pipes to a program contains no memory of batond"
    )
    func noCoreAllowed() async throws {
        let daemon = try await RunningDaemon.start(in: root, limits: "ulimit -c 0")
        try await expectNoCore(of: daemon, limit: "0", when: SIGABRT)
    }

    /// Ends a daemon with a signal that would otherwise leave a core.
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
