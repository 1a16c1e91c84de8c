// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import ChildProcesses
import Foundation
import Glibc
import Synchronization
import Testing

/// A real `batond` on a bus and in a directory of its own, with its output on standard error.
final class RunningDaemon: Sendable {
    /// How the daemon ended.
    struct End: Sendable {
        var log: String
        /// The signal that ended the daemon, or 0.
        var signal: Int32
        /// The daemon's exit status, if it ended by itself.
        var status: Int32 = -1
    }

    let root: URL
    let bus: PrivateBus
    private let process: ChildProcess
    private let log = Mutex("")
    private let ended: Task<End, Never>
    private let lines: AsyncStream<String>

    /// Starts a daemon.
    ///
    /// `limits` are shell commands that run first. Programs in the root's `bin` take precedence
    /// over the system's. `options` are further options of the daemon's command line.
    static func start(
        in root: URL, radio: URL? = nil, limits: String = "true", options: [String] = []
    ) async throws -> RunningDaemon {
        try await RunningDaemon(root, radio ?? root.appending(path: "radio"), await PrivateBus.start(), limits, options)
    }

    /// Starts a daemon, and waits until it serves its bus.
    static func serving(
        in root: URL, radio: URL? = nil, limits: String = "true", options: [String] = []
    ) async throws -> RunningDaemon {
        let daemon = try await start(in: root, radio: radio, limits: limits, options: options)
        #expect(await daemon.isServing())
        return daemon
    }

    private init(_ root: URL, _ radio: URL, _ bus: PrivateBus, _ limits: String, _ options: [String]) async throws {
        self.root = root
        self.bus = bus
        let error = Pipe()
        process = try await ChildProcess(
            "/bin/sh",
            [
                "-c", "\(limits); exec \"$@\"", "sh", Sandbox.built("batond"), "--radio", "simulated",
                "--radio-directory", radio.path, "--state-directory", Self.state(in: root).path, "--log-level", "trace",
            ] + options,
            environment: .only([
                "DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "\(root.path)/bin:/usr/bin:/bin", "HOME": root.path,
                "XDG_DATA_HOME": root.appending(path: ".local/share").path,
                "XDG_DATA_DIRS": "\(root.path)/usr/share:/usr/local/share:/usr/share",
                "XDG_CONFIG_HOME": root.appending(path: ".config").path,
            ]), directory: root.path, output: .none, error: .handle(error.fileHandleForWriting))
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let handle = error.fileHandleForReading
        Thread.detachNewThread {
            var all: [UInt8] = []
            var told = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = Glibc.read(handle.fileDescriptor, &buffer, buffer.count), count > 0 {
                all += buffer[..<count]
                while let newline = all[told...].firstIndex(of: UInt8(ascii: "\n")) {
                    line.yield(String(decoding: all[told..<newline], as: UTF8.self))
                    told = newline + 1
                }
            }
            withExtendedLifetime(handle) {}
            line.finish()
            text.yield(String(decoding: all, as: UTF8.self))
            text.finish()
        }
        ended = Task { [process] in
            var end = End(log: "", signal: 0)
            switch try? await process.end {
            case .exited(let status): end.status = status
            case .killed(let signal): end.signal = signal
            case nil: break
            }
            for await value in texts { end.log = value }
            return end
        }
    }

    static func state(in root: URL) -> URL { root.appending(path: "state") }

    var processID: Int32 { process.processIdentifier }

    /// Waits until the daemon serves its bus or has ended. Returns true if it serves its bus.
    func isServing() async -> Bool {
        for await line in lines where line.contains("serving org.batonproject") { return true }
        return false
    }

    /// Waits until the daemon's log has a line that contains a text, or the daemon has ended.
    /// Returns true if there is such a line.
    func logs(_ text: String) async -> Bool {
        for await line in lines where line.contains(text) { return true }
        return false
    }

    /// Runs `baton` on the daemon's bus. Returns its exit status and its output.
    func baton(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let output = root.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        let status = try await ChildProcess(
            Sandbox.built("baton"), arguments,
            environment: .only(["DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin", "HOME": root.path]),
            output: .handle(handle), error: .handle(handle)
        ).end.status
        return (status, try String(contentsOf: output, encoding: .utf8))
    }

    /// Sends the daemon a signal, and waits until it has ended.
    func end(_ signal: Int32 = SIGTERM) async -> End {
        process.send(signal)
        return await gone()
    }

    /// Waits until the daemon has ended.
    func gone() async -> End {
        let end = await ended.value
        await bus.stop()
        return end
    }

    /// Creates a circle, and another daemon joins it.
    func makeCircle(with other: RunningDaemon) async throws {
        let invitation = root.appending(path: "invitation").path
        #expect(try await baton(["circle", "create", "--name", "desk"]).status == 0)
        #expect(try await baton(["circle", "invite", invitation]).status == 0)
        #expect(try await other.baton(["circle", "join", invitation]).status == 0)
    }

    /// Runs a closure with two daemons in reach of each other. Before they start, `install` runs
    /// for each daemon's user.
    static func withTwo(
        install: (_ root: URL) throws -> Void = { _ in },
        _ body: (_ desk: RunningDaemon, _ sofa: RunningDaemon) async throws -> Void
    ) async throws {
        try await withDirectory { root in
            let second = root.appending(path: "second")
            try FileManager.default.createDirectory(
                at: second, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            for root in [root, second] { try install(root) }
            let desk = try await serving(in: root)
            let sofa = try await serving(in: second, radio: root.appending(path: "radio"))
            try await body(desk, sofa)
            for daemon in [sofa, desk] {
                let end = await daemon.end()
                #expect(end.signal == 0 && end.status == 0, "\(end.log.suffix(4_000))")
            }
        }
    }

    /// Runs a closure with two daemons of one circle, as ``withTwo(install:_:)`` does.
    static func withCircle(
        install: (_ root: URL) throws -> Void,
        _ body: (_ desk: RunningDaemon, _ sofa: RunningDaemon) async throws -> Void
    ) async throws {
        try await withTwo(install: install) { desk, sofa in
            try await desk.makeCircle(with: sofa)
            try await body(desk, sofa)
        }
    }

    /// Returns the directory of the system's desktop entries, for a daemon in a directory.
    static func systemApplications(in root: URL) -> URL { root.appending(path: "usr/share/applications") }
}
