// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonService
import BatonTransport
import DBus
import Foundation
import Glibc
import Logging
import ServiceLifecycle
import TCPTransport
import UnixSignals

/// Puts the parts together, and runs them until a signal or the end of the session bus.
struct Daemon {
    private let options: Batond
    private let logger: Logger

    static let version = "0.1.0"

    init(_ options: Batond) {
        self.options = options
        var logger = Logger(label: "batond")
        logger.logLevel = options.logLevel.level
        self.logger = logger
    }

    func run() async throws {
        let bus: DBusConnection
        do {
            bus = try await DBusConnection.session()
        } catch {
            throw DaemonFailure(
                "there is no session bus (\(error)); log in to a desktop session, or run 'dbus-run-session batond'")
        }
        let radio = try await RadioPicker(options: options, logger: logger).pick()
        logger.notice("radio: \(radio.reason)")
        let service = try HandoffService(
            configuration: .init(
                stateDirectory: options.stateDirectory ?? Directories.state, deviceName: Directories.hostName),
            radio: radio.radio, tcp: options.tcp == .on ? TCPTransport() : nil, clock: SystemClock(), logger: logger)
        let front = BusFront(service: service, radioReason: radio.reason, version: Self.version)
        let group = ServiceGroup(
            services: [DaemonRun(bus: bus, front: front, service: service, logger: logger)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }
}

/// One run of the daemon, from taking the bus name to giving it back.
private struct DaemonRun: Service {
    let bus: DBusConnection
    let front: BusFront
    let service: HandoffService
    let logger: Logger

    func run() async throws {
        // The name first: who finds it taken has changed nothing.
        let endpoint = try await BatonBusService.start(on: bus, version: Daemon.version, handler: front)
        do {
            try await service.start()
        } catch {
            await endpoint.stop()
            throw error
        }
        let events = Task { [service, front] in
            for await event in service.events { front.pass(event, to: endpoint) }
        }
        logger.notice("serving \(BatonBusName.bus) on the session bus")
        let lost = await waitForEnd()
        await service.stop()
        await events.value
        await endpoint.stop()
        bus.close()
        if let lost { throw DaemonFailure("the session bus went away (\(lost)); batond ends with it") }
    }

    /// Returns the error with which the bus ended, or nil after a signal.
    private func waitForEnd() async -> DBusError? {
        await withTaskGroup(of: DBusError?.self) { group in
            group.addTask {
                for await error in bus.disconnected { return error }
                return nil
            }
            group.addTask {
                try? await gracefulShutdown()
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}

/// Why the daemon could not run, in one line.
struct DaemonFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
