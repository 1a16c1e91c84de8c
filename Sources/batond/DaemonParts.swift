// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import BatonProtocol
import BatonService
import BatonTransport
import DBus
import Diagnosis
import LocalDatagrams
import LocalNetworks
import Logging
import TCPTransport

/// All parts of the daemon that serve with one radio. A daemon that restarts with another radio
/// makes new parts, and no object retains the old ones.
struct DaemonParts {
    let service: HandoffService
    let desktop: Desktop
    let store: SavedStore
    let history: HistoryStore
    let front: BusFront
    private let host: ServiceDesktopHost
    let files = UserFilesWatch()
    /// The programs that follow the status, the history, the settings, the grants, or the files.
    let followers: [any FollowingClients]
    private let search: SearchProvider
    /// The networks that the service follows, while this object exists. Nil if TCP is off, or if
    /// several daemons share one machine.
    private let networks: LocalNetworks?

    /// Creates the parts, which do nothing yet.
    ///
    /// - Throws: ``BatonError`` if the state directory cannot be used.
    init(
        options: Batond, radio: PickedRadio, bus: DBusConnection, systemBus: SystemBus?, callers: Callers,
        pauseMemory: PauseMemory, logger: Logger
    ) throws {
        let session = SessionEnvironment.ofProcess(on: bus)
        let catalogue = AppCatalogue(session: session)
        let judge = SpeakerJudge(callers: callers, session: session) { await catalogue.entry($0) }
        let directory = options.stateDirectory.map(Directories.absolute) ?? Directories.state
        networks = options.tcp == .on && !Self.sharesMachine(options) ? LocalNetworks() : nil
        let datagrams = networks.map { _ in
            MulticastDatagrams(port: FixedPorts.datagrams, length: BeaconForm.datagram.byteCount)
        }
        service = try HandoffService(
            configuration: .init(stateDirectory: directory, deviceName: Directories.hostName),
            transports: Transports(radio: radio.radio, others: options.tcp == .on ? [Self.tcp(options)] : []),
            clock: SystemClock(), networks: networks?.states, datagrams: datagrams, logger: logger
        ) { [bus] in
            await bus.isAlive($0.rawValue)
        } whyRefused: {
            await judge.whyRefused($0, as: $1)
        }
        // The service has locked the directory, so no other daemon uses these files.
        let grants = GrantStore(directory: directory, logger: logger)
        let policy = CallerPermissions.installed(grants: grants, in: session)
        let host = ServiceDesktopHost(service: service, bus: bus, callers: callers, policy: policy)
        let history = HistoryStore(directory: directory, logger: logger)
        let desktop = Desktop(
            bus: bus, systemBus: systemBus, host: host, session: session, catalogue: catalogue, grants: grants,
            adapters: AdapterStore(directory: directory, logger: logger),
            agreements: AgreementStore(directory: directory, logger: logger), history: history,
            asker: DomainAsker(options.domainFetcher.map { .program($0) } ?? DomainAsker.installed),
            pauseMemory: pauseMemory, welcome: WelcomeNotice(directory: directory), logger: logger)
        let store = SavedStore(directory: directory, logger: logger)
        let continuations = OwnContinuations { [host] in host.endpoint?.sendProgress($0, to: $1) }
        var router = BusRouter(otherwise: BatonError(.failed, .unsupported))
        let daemonFollowers = DaemonRoutes(
            service: service, desktop: desktop, radio: radio, version: BatonVersion.current, speakerJudge: judge,
            history: history, damaged: DamagedFiles(in: directory), host: host
        ).add(to: &router)
        CircleRoutes(service: service, desktop: desktop).add(to: &router)
        ActivityRoutes(service: service, desktop: desktop, callers: callers, policy: policy, speakerJudge: judge)
            .add(to: &router)
        OfferRoutes(
            service: service, desktop: desktop, callers: callers, policy: policy, continuations: continuations
        ).add(to: &router)
        SavedRoutes(store: store, callers: callers, policy: policy).add(to: &router)
        followers =
            daemonFollowers + UserRoutes(desktop: desktop, host: host).add(to: &router)
            + FileRoutes(files: files, host: host).add(to: &router)
        front = BusFront(
            service: service, desktop: desktop, radio: radio, callers: callers, policy: policy,
            continuations: continuations, followers: followers, router: router)
        search = SearchProvider(store: store, callers: callers) { application in
            await desktop.askSession()
            return await catalogue.entry(application)
        } opener: { result, _ in
            try await desktop.open(result)
        } openWindow: {
            await desktop.openWindow()
        }
        (self.host, self.desktop, self.store, self.history) = (host, desktop, store, history)
    }

    /// Returns the TCP transport with the fixed ports. With `--radio simulated`, many daemons share
    /// one machine and reach each other over loopback. In that case each daemon gets a new port at
    /// each start.
    private static func tcp(_ options: Batond) -> TCPTransport {
        let sharesMachine = sharesMachine(options)
        return TCPTransport(ports: sharesMachine ? [] : Array(FixedPorts.all), sharesMachine: sharesMachine)
    }

    private static func sharesMachine(_ options: Batond) -> Bool { options.radio == .simulated }

    /// Exports the objects and requests the bus name.
    ///
    /// - Returns: The endpoint. The caller keeps it while the daemon serves, and ends it with
    ///   ``BatonBusService/stop()`` and ``withdraw(from:)``.
    /// - Throws: ``BatonError`` if another daemon has the name. After an error, nothing has
    ///   changed.
    func appear(on bus: DBusConnection) async throws -> BatonBusService {
        do {
            try bus.export(search.object, at: SearchProvider.path)
            let endpoint = try await BatonBusService.start(on: bus, version: BatonVersion.current, handler: front)
            host.endpoint = endpoint
            return endpoint
        } catch {
            withdraw(from: bus)
            throw error
        }
    }

    /// Withdraws the object that was exported in addition to the endpoint's objects.
    func withdraw(from bus: DBusConnection) { bus.unexport(path: SearchProvider.path) }
}
