// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import BatonService
import DBus
import Diagnosis
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Wording

/// The daemon on its bus. A daemon that runs without Bluetooth restarts its parts when an adapter
/// appears.
struct DaemonRun: Service {
    let bus: DBusConnection
    let manager: ServiceManager
    let callers: Callers
    let options: Batond
    let logger: Logger
    private let pauseMemory = PauseMemory()

    /// The longest time for which streams may continue after the signal to end. `TimeoutStopSec=`
    /// allows twice as much.
    private static let drainLimit = Duration.seconds(10)

    private enum End: Sendable {
        case signal
        case busLost(DBusError)
        case adapter(String)
    }

    /// Serves until a signal makes the group end its services.
    ///
    /// - Throws: ``DaemonFailure`` if the session bus ends first, or the error that keeps the
    ///   daemon from serving.
    func run() async throws {
        while true {
            switch try await serve(with: await picker.pick()) {
            case .signal: return bus.close()
            case .busLost(let error):
                throw DaemonFailure("the session bus went away (\(error)); batond ends with it")
            case .adapter(let name): logger.notice("there is an adapter now (\(name)): beginning anew")
            }
        }
    }

    private var picker: RadioPicker { RadioPicker(options: options, logger: logger) }

    /// Serves, from requesting the bus name to releasing it.
    private func serve(with radio: PickedRadio) async throws -> End {
        logger.notice("radio: \(radio.reason)")
        let parts: DaemonParts
        do {
            parts = try DaemonParts(
                options: options, radio: radio, bus: bus, systemBus: SystemBus(), callers: callers,
                pauseMemory: pauseMemory, logger: logger)
        } catch let error as BatonError where error.code == .stateUnusable {
            return try await say(error)
        }
        await parts.desktop.applySettings()
        await parts.desktop.useInstalledApps()
        // Follow departures before an adapter can publish for a program that leaves.
        let departures = try await bus.departures()
        // Request the name before everything else, so that nothing has changed if the name is
        // taken.
        let endpoint = try await parts.appear(on: bus)
        defer { parts.withdraw(from: bus) }
        let speakers = Task {
            for await departure in departures where departure.name.hasPrefix(":") {
                await parts.service.speakerLeft(ClientID(rawValue: departure.name))
            }
        }
        defer { speakers.cancel() }
        return try await serve(parts, over: endpoint, with: radio)
    }

    private func serve(_ parts: DaemonParts, over endpoint: BatonBusService, with radio: PickedRadio) async throws
        -> End
    {
        let (service, desktop) = (parts.service, parts.desktop)
        let events = Task { [front = parts.front] in
            for await event in service.events {
                await front.pass(event, to: endpoint)
                Allocator.noteUse()
            }
        }
        do {
            let loss = SignalLoss(logger: logger)
            try await service.start(
                tellClient: {
                    loss.note(wasSent: BusFront.tell($0, over: endpoint))
                    Allocator.noteUse()
                },
                tellGiven: { [history = parts.history] given in
                    history.note(
                        device: given.device, named: given.deviceName, application: given.application, type: given.type)
                })
        } catch {
            await events.value
            // Apps may have saved activities since the name was requested.
            await parts.store.end()
            await endpoint.stop()
            throw error
        }
        let panel = Task { await endpoint.publish(desktop.panels) }
        defer { panel.cancel() }
        let followed = parts.followers.map { followers in Task { await followers.run() } }
        defer { for task in followed { task.cancel() } }
        let watch = Task { [files = parts.files] in await files.run() }
        defer { watch.cancel() }
        let desktopRun = Task { await desktop.run() }
        logger.notice("serving \(BatonBusName.bus) on the session bus")
        let end = await whileWatched("Serving; radio: \(radio.reason)", service) {
            await waitForEnd(fallback: radio.fallback != nil)
        }
        // Without the session bus, no app can use streams any more.
        if case .busLost = end {} else { await service.drain(for: Self.drainLimit) }
        desktopRun.cancel()
        await desktopRun.value
        await parts.store.end()
        parts.history.flush()
        await service.stop()
        // More activities may have left this laptop until now.
        parts.history.flush()
        await events.value
        await endpoint.stop()
        return end
    }

    /// Serves only the report of a problem with the state. The daemon makes no new identity,
    /// because the user could mistake the new one for the old one.
    private func say(_ error: BatonError) async throws -> End {
        let place = error.command == nil ? "reason" : "unsafe"
        let problem = Finding(.keysUnusable, [place: BatonError.reason(error)], command: error.command)
        let text = problem.text(on: .notification)
        let front = UnusableStateHandler(
            problem: problem, deviceName: Directories.hostName, version: BatonVersion.current, callers: callers)
        let endpoint = try await BatonBusService.start(on: bus, version: BatonVersion.current, handler: front)
        endpoint.publish(PanelStatus(state: .unusable, reason: text))
        logger.error("\(error)")
        logger.notice("serving \(BatonBusName.bus) on the session bus, to say so")
        let end = await whileWatched("Not working: \(error)", nil) { await waitForEnd(fallback: false) }
        await endpoint.stop()
        return end
    }

    /// Reports to systemd that the daemon is ready, then that it is alive while all parts make
    /// progress.
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

    /// Sends news to systemd. A failure is only logged, because the daemon can run nevertheless.
    private func tell(_ news: (ServiceManager) throws -> Void) {
        do { try news(manager) } catch { logger.warning("\(error), ignoring") }
    }

    private func waitForEnd(fallback: Bool) async -> End {
        let (ends, end) = AsyncStream.makeStream(of: End.self)
        let watches = [
            Task { for await error in bus.disconnected { end.yield(.busLost(error)) } },
            Task {
                guard fallback, let adapter = await picker.firstAdapter() else { return }
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
    /// Returns the parts that a hand-over needs: every event loop, the thread of the session bus,
    /// and the service.
    fileprivate static func all(bus: DBusConnection, service: HandoffService?) -> [Watchdog.Part] {
        let loops = MultiThreadedEventLoopGroup.singleton.makeIterator().enumerated().map { index, loop in
            Watchdog.Part(name: "event loop \(index)") { try await loop.submit {}.get() }
        }
        let thread = Watchdog.Part(name: "thread of the session bus") { await bus.respond() }
        return loops + [thread]
            + (service.map { service in [.init(name: "service") { await service.respond() }] } ?? [])
    }
}
