// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import BatonDesktop
import DBus
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// Connects the daemon to the session bus, and runs it until a signal or the end of the bus.
struct Daemon {
    private let options: Batond
    private let logger: Logger

    /// The limits for messages that any program may send. These limits allow the largest activity
    /// with its thumbnail, and little more.
    private static var limits: DBusLimits {
        var limits = DBusLimits()
        limits.values = 1 << 18
        limits.combiningMarks = CombiningMarks.maximum
        limits.bytes = 1 << 20
        limits.receivedBytes = 16 << 20
        return limits
    }

    init(_ options: Batond) {
        self.options = options
        var logger = Logger(label: "batond")
        logger.logLevel = options.logLevel.level
        self.logger = logger
    }

    func run() async throws {
        let manager = try ServiceManager(environment: ProcessInfo.processInfo.environment, processID: getpid())
        let bus: DBusConnection
        do {
            bus = try await DBusConnection.session(limits: Self.limits)
        } catch {
            throw DaemonFailure(
                "there is no session bus (\(error)); log in to a desktop session, or run 'dbus-run-session batond'")
        }
        let callers = try await Callers.start(on: bus)
        let group = ServiceGroup(
            services: [DaemonRun(bus: bus, manager: manager, callers: callers, options: options, logger: logger)],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }
}

/// The reason why the daemon could not run, in one line.
struct DaemonFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
