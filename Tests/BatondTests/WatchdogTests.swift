// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import DBus
import Foundation
import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import batond

/// Tests the daemon's reports to systemd.
@Suite(.timeLimit(.minutes(5))) struct WatchdogTests {
    private let logger = Logger(label: "watchdog") { _ in SwiftLogNoOpLogHandler() }

    private func withSocket(_ body: (NotifySocket) async throws -> Void) async throws {
        try await withDirectory { root in
            let socket = try NotifySocket(root.appending(path: "notify").path)
            defer { socket.stop() }
            try await body(socket)
        }
    }

    private func manager(_ socket: NotifySocket, interval: String? = nil) throws -> ServiceManager {
        var environment = ["NOTIFY_SOCKET": socket.name]
        environment["WATCHDOG_USEC"] = interval
        return try ServiceManager(environment: environment, processID: getpid())
    }

    // MARK: - The datagrams

    @Test("Without systemd no report is sent")
    func nothingHappensWithoutSystemd() throws {
        let manager = try ServiceManager(environment: ["WATCHDOG_USEC": "1000000"], processID: 1)
        #expect(manager.watchdogInterval == nil)
        try manager.ready("Serving")
    }

    @Test("Each report to systemd is a datagram of its own")
    func eachPieceOfNewsIsOneDatagram() async throws {
        try await withSocket { socket in
            let manager = try manager(socket)
            try manager.ready("Serving; radio: simulated")
            try manager.alive()
            try manager.status("Beginning anew")
            try manager.stopping()
            socket.stop()
            let told = await socket.messages.reduce(into: []) { $0.append($1) }
            #expect(
                told == [
                    "READY=1\nSTATUS=Serving; radio: simulated", "WATCHDOG=1", "STATUS=Beginning anew",
                    "STOPPING=1\nSTATUS=Stopping",
                ])
        }
    }

    @Test("An abstract socket gets the reports, too")
    func anAbstractSocketIsTold() async throws {
        let socket = try NotifySocket("@baton-test-\(UUID().uuidString)")
        defer { socket.stop() }
        try manager(socket).alive()
        #expect(await socket.messages.first { _ in true } == "WATCHDOG=1")
    }

    @Test("The text of a status cannot add another assignment")
    func statusCannotSayMore() async throws {
        try await withSocket { socket in
            try manager(socket).status("one\nMAINPID=1\u{0}" + String(repeating: "x", count: 5_000))
            let told = try #require(await socket.messages.first { _ in true })
            #expect(told.hasPrefix("STATUS=one MAINPID=1 xxx") && !told.contains("\n"))
            #expect(told.utf8.count == "STATUS=".utf8.count + 512)
        }
    }

    @Test(
        "Environment variables with invalid values are refused",
        arguments: [
            ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "vsock:2:1"],
            ["NOTIFY_SOCKET": "@"],
            ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 107)],
            ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "soon"], ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "0"],
        ])
    func nonsenseIsRefused(environment: [String: String]) {
        #expect(throws: ServiceManager.Failure.self) {
            try ServiceManager(environment: environment, processID: 1)
        }
    }

    @Test("No reports are sent if the watchdog is for another process")
    func watchdogOfAnother() throws {
        let environment = ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "77"]
        #expect(try ServiceManager(environment: environment, processID: 77).watchdogInterval == .seconds(3))
        #expect(try ServiceManager(environment: environment, processID: 78).watchdogInterval == nil)
    }

    // MARK: - Progress

    /// The events in their order.
    private final class Order: Sendable {
        private let events = Mutex<[String]>([])
        func add(_ event: String) { events.withLock { $0.append(event) } }
        var all: [String] { events.withLock { $0 } }
    }

    @Test("The watchdog reports to systemd after every part has responded")
    func everyPartHasItsTurn() async throws {
        try await withSocket { socket in
            let order = Order()
            let parts = ["loop", "thread", "service"].map { name in
                Watchdog.Part(name: name) { order.add(name) }
            }
            try await Watchdog(manager: manager(socket), parts: parts, logger: logger).round()
            #expect(order.all == ["loop", "thread", "service"])
            #expect(await socket.messages.first { _ in true } == "WATCHDOG=1")
        }
    }

    @Test("An event loop that hangs does not count as alive")
    func hungEventLoop() async throws {
        try await withSocket { socket in
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let (order, release) = (Order(), DispatchSemaphore(value: 0))
            let (hangs, hung) = AsyncStream.makeStream(of: Void.self)
            group.next().execute {
                hung.yield()
                release.wait()
            }
            for await _ in hangs { break }
            let loop = Watchdog.Part(name: "event loop") { try await group.next().submit {}.get() }
            let watchdog = Watchdog(manager: try manager(socket), parts: [loop], logger: logger)
            let round = Task {
                try await watchdog.round()
                order.add("told")
            }
            // Code that did not wait for the loop would send a report within this time.
            for _ in 0..<1_000 { await Task.yield() }
            order.add("released")
            release.signal()
            try await round.value
            #expect(order.all == ["released", "told"])
            try await group.shutdownGracefully()
        }
    }

    @Test("A part that fails to respond is named in the error, and systemd gets no report")
    func aPartAtFaultIsNamed() async throws {
        try await withSocket { socket in
            let part = Watchdog.Part(name: "event loop 3") { throw CancellationError() }
            let watchdog = Watchdog(manager: try manager(socket), parts: [part], logger: logger)
            let failure = await #expect(throws: ServiceManager.Failure.self) { try await watchdog.round() }
            #expect(failure?.description.contains("event loop 3") == true)
            socket.stop()
            #expect(await socket.messages.first { _ in true } == nil)
        }
    }

    // MARK: - The daemon

    @Test("The daemon reports that it serves, that it is alive, and that it ends")
    func daemonTellsOfItsLife() async throws {
        try await withDirectory { root in
            let socket = try NotifySocket(root.appending(path: "notify").path)
            defer { socket.stop() }
            try await PrivateBus.with { bus in
                let daemon = try await Program(
                    "batond",
                    [
                        "--radio", "simulated", "--radio-directory", root.appending(path: "radio").path,
                        "--state-directory", root.appending(path: "state").path, "--log-level", "trace",
                    ], bus: bus.address, environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "150000"])
                var messages = socket.messages.makeAsyncIterator()
                let first = await messages.next()
                #expect(first?.hasPrefix("READY=1\nSTATUS=Serving; radio: simulated in ") == true)
                // The bus name must exist before READY=1, because a program that waits for it may
                // call at once.
                let client = try await DBusConnection.open(address: bus.address)
                _ = try await client.owner(of: "org.batonproject.Baton")
                client.close()
                // Each report follows a round through all parts.
                for _ in 0..<3 { #expect(await messages.next() == "WATCHDOG=1") }
                for part in ["event loop 0", "thread of the session bus", "service"] {
                    try await daemon.line("its turn") { $0.hasSuffix("watchdog: \(part)") }
                }
                #expect(try await daemon.terminate() == 0)
                var last: String?
                while last?.hasPrefix("STOPPING=1") != true {
                    last = await messages.next()
                    if last == nil { break }
                }
                #expect(last == "STOPPING=1\nSTATUS=Stopping")
            }
        }
    }

    @Test("A daemon that cannot use its keys is ready to report that")
    func daemonWithoutItsKeys() async throws {
        try await withDirectory { root in
            let socket = try NotifySocket(root.appending(path: "notify").path)
            defer { socket.stop() }
            let state = root.appending(path: "state")
            try FileManager.default.createDirectory(
                at: state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try Data("damaged".utf8).write(to: state.appending(path: "state"))
            try await PrivateBus.with { bus in
                let daemon = try await Program(
                    "batond", ["--radio", "simulated", "--state-directory", state.path], bus: bus.address,
                    environment: ["NOTIFY_SOCKET": socket.name])
                let first = await socket.messages.first { _ in true }
                #expect(first?.hasPrefix("READY=1\nSTATUS=Not working: ") == true)
                await daemon.end()
            }
        }
    }
}
