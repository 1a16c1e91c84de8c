// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import BatonBus
import BatonDesktop
import BatonService
import BatonTesting
import DBus
import Foundation
import Logging
import Testing

@testable import batond

/// Tests that a daemon releases its former parts when it restarts them.
@Suite(.timeLimit(.minutes(5))) struct DaemonPartsTests {
    @Test("Ended parts of a daemon are released")
    func partsThatHaveEndedAreLetGo() async throws {
        try await withDirectory { root in
            try await PrivateBus.with { sessionBus in
                let bus = try await DBusConnection.open(address: sessionBus.address)
                defer { bus.close() }
                let (gone, sink) = AsyncStream.makeStream(of: Never.self)
                try await serve(on: bus, in: root, Holder(sink))
                // The stream ends when the last part of the daemon has released the logger.
                for await _ in gone {}
            }
        }
    }

    @Test("Each method that the bus declares has a route in the daemon")
    func everyMethodHasARoute() async throws {
        try await withDirectory { root in
            try await PrivateBus.with { sessionBus in
                let bus = try await DBusConnection.open(address: sessionBus.address)
                defer { bus.close() }
                let parts = try await parts(on: bus, in: root, Logger(label: "parts"))
                #expect(parts.front.router.unrouted == [])
                await parts.service.stop()
            }
        }
    }

    @Test("A relative directory is made absolute")
    func absolute() {
        #expect(Directories.absolute("/var/state") == "/var/state")
        #expect(Directories.absolute("state") == FileManager.default.currentDirectoryPath + "/state")
    }

    private func parts(on bus: DBusConnection, in root: URL, _ logger: Logger) async throws -> DaemonParts {
        let options = try Batond.parse([
            "--radio", "simulated", "--tcp", "off", "--radio-directory", root.appending(path: "radio").path,
            "--state-directory", root.appending(path: "state").path,
        ])
        return try DaemonParts(
            options: options, radio: await RadioPicker(options: options, logger: logger).pick(), bus: bus,
            systemBus: nil, callers: try await Callers.start(on: bus), pauseMemory: PauseMemory(), logger: logger)
    }

    /// Runs all parts of a daemon with one radio.
    private func serve(on bus: DBusConnection, in root: URL, _ holder: Holder) async throws {
        let parts = try await parts(
            on: bus, in: root, Logger(label: "parts") { _ in HoldingLogHandler(holder: holder) })
        let endpoint = try await parts.appear(on: bus)
        try await parts.service.start { _ in }
        await parts.service.stop()
        await endpoint.stop()
        parts.withdraw(from: bus)
    }
}

/// An object that ends a stream when it is released.
private final class Holder: Sendable {
    private let sink: AsyncStream<Never>.Continuation
    init(_ sink: AsyncStream<Never>.Continuation) { self.sink = sink }
    deinit { sink.finish() }
}

/// A log handler that drops all lines.
private struct HoldingLogHandler: LogHandler {
    let holder: Holder
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.critical
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {}
}
