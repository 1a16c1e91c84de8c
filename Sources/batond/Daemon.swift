// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import BatonService
import BatonTransport
import DBus
import Foundation
import Glibc
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import TCPTransport
import UnixSignals

/// Puts the parts together, and runs them until a signal or the end of the session bus.
struct Daemon {
    private let options: Batond
    private let logger: Logger

    static let version = "0.1.0"

    /// What any program may send: room for the largest activity with its thumbnail, and not for much more.
    private static var limits: DBusLimits {
        var limits = DBusLimits()
        limits.values = 1 << 18
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
        let group = ServiceGroup(
            services: [
                DaemonRun(
                    bus: bus, manager: manager, callers: try await Callers.start(on: bus), options: options,
                    logger: logger)
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }
}

/// The daemon on its bus. It begins anew when a Bluetooth adapter comes and it had to do without until then.
private struct DaemonRun: Service {
    let bus: DBusConnection
    let manager: ServiceManager
    let callers: Callers
    let options: Batond
    let logger: Logger
    private let pauseMemory = PauseMemory()

    private enum End: Sendable {
        case signal
        case busLost(DBusError)
        case adapter(String)
    }

    func run() async throws {
        while true {
            switch try await serve(with: await RadioPicker(options: options, logger: logger).pick()) {
            case .signal: return bus.close()
            case .busLost(let error):
                throw DaemonFailure("the session bus went away (\(error)); batond ends with it")
            case .adapter(let name): logger.notice("there is an adapter now (\(name)): beginning anew")
            }
        }
    }

    /// Serves, from taking the bus name to giving it back.
    private func serve(with radio: PickedRadio) async throws -> End {
        logger.notice("radio: \(radio.reason)")
        let service: HandoffService
        let directory = options.stateDirectory ?? Directories.state
        do {
            service = try HandoffService(
                configuration: .init(stateDirectory: directory, deviceName: Directories.hostName),
                radio: radio.radio, tcp: options.tcp == .on ? TCPTransport() : nil, clock: SystemClock(),
                logger: logger
            ) { [bus] in await bus.isAlive($0.name) }
        } catch let error as ServiceError where error.code == .stateUnusable {
            return try await say("\(error); start batond again when that is put right")
        }
        let systemBus = try? await DBusConnection.system()
        defer { systemBus?.close() }
        // The service holds the directory: no other daemon has these files.
        let grants = GrantStore(directory: directory, logger: logger)
        let policy = CallerPolicy.installed(grants: grants)
        let host = DesktopHost(service: service, bus: bus, callers: callers, policy: policy)
        let desktop = Desktop(
            bus: bus, systemBus: systemBus, host: host, grants: grants, pauseMemory: pauseMemory, logger: logger)
        await desktop.keepPause()
        let store = SavedStore(directory: directory, logger: logger)
        let front = BusFront(
            service: service, desktop: desktop, radio: radio, version: Daemon.version, callers: callers,
            policy: policy, store: store,
            continuations: OwnContinuations { [host] in host.endpoint?.sendProgress($0, to: $1) })
        let search = SearchProvider(store: store, callers: callers) { result, _ in try await desktop.open(result) }
        try bus.export(search.object, at: SearchProvider.path)
        defer { bus.unexport(path: SearchProvider.path) }
        // The name first: who finds it taken has changed nothing.
        let endpoint = try await BatonBusService.start(on: bus, version: Daemon.version, handler: front)
        host.endpoint = endpoint
        let events = Task { [service, front] in
            for await event in service.events { await front.pass(event, to: endpoint) }
        }
        do {
            let loss = SignalLoss(logger: logger)
            try await service.start { loss.note(wasSent: BusFront.tell($0, over: endpoint)) }
        } catch {
            await events.value
            await endpoint.stop()
            throw error
        }
        let panel = Task { [desktop] in await endpoint.publish(desktop.panels) }
        defer { panel.cancel() }
        let desktopRun = Task { await desktop.run() }
        logger.notice("serving \(BatonBusName.bus) on the session bus")
        let end = await whileWatched("Serving; radio: \(radio.reason)", service) {
            await waitForEnd(makeshift: radio.isMakeshift)
        }
        desktopRun.cancel()
        await desktopRun.value
        await store.flush()
        await service.stop()
        await events.value
        await endpoint.stop()
        return end
    }

    /// Serves nothing but word of what is wrong: a new identity could be taken for the old one.
    private func say(_ problem: String) async throws -> End {
        let front = LockedFront(
            problem: problem, deviceName: Directories.hostName, version: Daemon.version, callers: callers)
        let endpoint = try await BatonBusService.start(on: bus, version: Daemon.version, handler: front)
        endpoint.publish(PanelStatus(state: .unusable, reason: problem))
        logger.error("\(problem)")
        logger.notice("serving \(BatonBusName.bus) on the session bus, to say so")
        let end = await whileWatched("Not working: \(problem)", nil) { await waitForEnd(makeshift: false) }
        await endpoint.stop()
        return end
    }

    /// Tells systemd that the daemon is there, and goes on telling while all of its parts make progress.
    private func whileWatched(_ status: String, _ service: HandoffService?, _ body: () async -> End) async -> End {
        tell { try $0.ready(status) }
        let watchdog = Task { [manager, bus, logger] in
            await Watchdog(manager: manager, parts: .all(bus: bus, service: service), logger: logger).run()
        }
        defer { watchdog.cancel() }
        let end = await body()
        tell { if case .adapter = end { try $0.status("Beginning anew") } else { try $0.stopping() } }
        return end
    }

    /// What systemd does not hear is no reason to end.
    private func tell(_ news: (ServiceManager) throws -> Void) {
        do { try news(manager) } catch { logger.warning("\(error), ignoring") }
    }

    private func waitForEnd(makeshift: Bool) async -> End {
        let (ends, end) = AsyncStream.makeStream(of: End.self)
        let watches = [
            Task { for await error in bus.disconnected { end.yield(.busLost(error)) } },
            Task {
                guard makeshift, let adapter = await Adapters(wanted: options.adapter).first() else { return }
                end.yield(.adapter(adapter))
            },
        ]
        defer { for watch in watches { watch.cancel() } }
        return await withGracefulShutdownHandler {
            for await end in ends { return end }
            return .signal
        } onGracefulShutdown: {
            end.yield(.signal)
        }
    }
}

extension [Watchdog.Part] {
    /// All that a hand-over needs: every event loop, the thread of the session bus, and the service.
    fileprivate static func all(bus: DBusConnection, service: HandoffService?) -> [Watchdog.Part] {
        let loops = MultiThreadedEventLoopGroup.singleton.makeIterator().enumerated().map { index, loop in
            Watchdog.Part(name: "event loop \(index)") { try await loop.submit {}.get() }
        }
        let thread = Watchdog.Part(name: "thread of the session bus") { await bus.turn() }
        return loops + [thread] + (service.map { service in [.init(name: "service") { await service.turn() }] } ?? [])
    }
}

/// Why the daemon could not run, in one line.
struct DaemonFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
