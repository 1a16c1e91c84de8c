// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
public import BatonTransport
public import Diagnosis
import FoundationEssentials
public import LocalDatagrams
public import LocalNetworks
public import Logging
import NIOCore
public import TraceModel
import Wording

/// Baton's service: publishes this device's activities, finds other devices' offers, and hands
/// activities over.
///
/// The service runs the state machines of `BatonProtocol` over its transports. Its state is divided
/// into parts (Decisions/0054-the-service-has-parts.md).
public actor HandoffService {
    /// The settings of a service.
    public struct Configuration: Sendable {
        /// The directory of the state file. The service makes it with mode 0700 if it is missing.
        public var stateDirectory: String
        /// The name of a new device.
        public var deviceName: String
        /// The time limits of an accepted channel whose knock was proved.
        var patience = ChannelPatience()

        /// Makes a configuration.
        public init(stateDirectory: String, deviceName: String) {
            self.stateDirectory = stateDirectory
            self.deviceName = deviceName
        }
    }

    /// The events for all programs, for one consumer. If the consumer is slow, it gets only the
    /// latest event about each offer.
    public nonisolated let events: AsyncStream<ServiceEvent>
    /// Notifies that ``status()`` may have changed.
    public nonisolated let statusChange = ChangeNotice()
    var news = ServiceNews()
    /// Called to send an event to one program. The calls come in order.
    private(set) var tellClient: @Sendable (ClientEvent) -> Void = { _ in }
    /// Called with each activity that another device has fetched.
    var tellGiven: @Sendable (GivenActivity) -> Void = { _ in }

    let environment: ServiceEnvironment
    let keyring = Keyring()
    let channels: SecureChannels
    var store: StateStore { didSet { statusChange.note() } }
    var lifecycle = Lifecycle()
    let background = BackgroundTasks()
    var timetable = Timetable<TimedPart>()

    var reachability = Reachability() { didSet { statusChange.note() } }
    var advertising: Advertising
    var lan: LanPresence { didSet { statusChange.note() } }
    var sightings: Sightings { didSet { statusChange.note() } }
    var peers = Peers() { didSet { listeningChanged() } }
    var pairings = Pairings() { didSet { listeningChanged() } }
    var listening = ListeningPlan()
    var invitations = OpenInvitations() { didSet { invitationsChanged() } }

    var apps: AppActivities { didSet { statusChange.note() } }
    var continuations = Continuations<PeerLink>() { didSet { continuationsChanged() } }
    var streams = OpenStreams<SecureChannel>() { didSet { streamsChanged() } }

    /// Makes a service that has not started. Makes a new device identity if the state directory has
    /// none.
    ///
    /// - Parameters:
    ///   - transports: The transports to other devices.
    ///   - networks: The local networks, now and after each change; nil if this device does not use
    ///     them.
    ///   - datagrams: Sends and receives beacons in these networks; nil if this device uses no such
    ///     beacons.
    ///   - trace: The recorder of traces.
    ///   - isPresent: Returns whether a program still runs. The service asks when a stream's socket
    ///     was closed, because a crash is not an orderly end of the stream.
    ///   - whyRefused: Returns why an adapter may not speak for a program with an app's id; nil if
    ///     it may. The service asks before contents leave this device.
    /// - Throws: ``BatonError/Code/stateUnusable``.
    public init(
        configuration: Configuration, transports: Transports, clock: any DeviceClock,
        networks: AsyncStream<[LocalNetwork]>? = nil, datagrams: (any DatagramCarrier)? = nil, logger: Logger,
        trace: TraceRecorder = TraceRecorder(),
        isPresent: @escaping @Sendable (ClientID) async -> Bool = { _ in true },
        whyRefused: @escaping @Sendable (_ speaker: ClientID, _ application: String?) async -> Reason? = { _, _ in nil }
    ) throws {
        environment = ServiceEnvironment(
            transports: transports, clock: clock, networks: networks, datagrams: datagrams, isPresent: isPresent,
            whyRefused: whyRefused, logger: logger, trace: trace)
        store = try StateStore(directory: configuration.stateDirectory, name: configuration.deviceName)
        if let failure = store.failure { logger.error("what this device has to keep cannot be written: \(failure)") }
        channels = SecureChannels(
            certificate: try DeviceCertificate(identity: store.state.identity), keyring: keyring,
            connectionLimiter: ConnectionLimiter(clock: clock), clock: clock, logger: logger,
            patience: configuration.patience)
        events = news.events
        lan = LanPresence(datagrams, logger: logger, trace: trace)
        advertising = Advertising(logger: logger)
        sightings = Sightings(own: store.state.identity.id.short)
        apps = AppActivities(
            registry: ActivityRegistry {
                (id: UUID().uuidString.lowercased(), instance: Array(randomBytes: ContinueGrant.instanceLength))
            })
    }

    nonisolated var transports: Transports { environment.transports }
    nonisolated var radio: any Radio { transports.radio }
    nonisolated var clock: any DeviceClock { environment.clock }
    nonisolated var logger: Logger { environment.logger }
    /// The recorder of traces.
    public nonisolated var trace: TraceRecorder { environment.trace }
    var identity: DeviceIdentity { store.state.identity }
    var circle: Circle? { store.state.circle }
    func isMember(_ device: DeviceID) -> Bool { store.state.isMember(device) }
    func member(short: UInt32) -> DeviceID? { store.state.member(short: short) }
    /// Returns a device's name for people to read (``DeviceLabel``).
    func name(of device: DeviceID) -> String { store.state.name(of: device) }
    var radioStatus: RadioStatus {
        reachability.heardRadioStatus
            ?? RadioStatus(.absent, because: Finding(.radioNotReady))
    }
    /// The present time on both clocks. The monotonic clock is read first. If a second passes
    /// between the two readings, a deadline in uptime comes early, never late.
    var moment: BeaconAdvertiser.Moment {
        let uptime = clock.uptime
        return .init(unixTime: clock.unixTime, uptime: uptime)
    }

    /// Returns when ``start()`` has tried to open all listeners, or when the service stops. Callers
    /// wait for this. Otherwise a program whose first call starts the daemon would be told that no
    /// other device can reach this device.
    public func started() async {
        // Use a task of its own, because callers wait even if they are cancelled.
        await Task { [hasStarted = lifecycle.hasStarted] in try? await hasStarted.value() }.value
    }

    /// Starts the service: opens the listeners, and starts to advertise and scan. If the service is
    /// stopped before it has started, this function returns, and opens nothing more.
    ///
    /// - Parameters:
    ///   - tellClient: Called to send or queue an event for one program, in order. The service
    ///     calls it until ``stop()`` returns. The function must not block, because the service
    ///     waits for it.
    ///   - tellGiven: Called with each activity that another device has fetched. This function must
    ///     not block either.
    /// - Throws: `TransportError` if the radio can never work on this device.
    public func start(
        tellClient: @escaping @Sendable (ClientEvent) -> Void,
        tellGiven: @escaping @Sendable (GivenActivity) -> Void = { _ in }
    ) async throws {
        guard !lifecycle.isStopping else { return }
        try? store.signName()
        if store.state.isCircleUnproved {
            logger.warning("\(Finding(.circleOutdated).text(on: .terminal, in: .english))")
        }
        (self.tellClient, self.tellGiven) = (tellClient, tellGiven)
        lifecycle.tasks.append(Task { [radio] in for await event in radio.events() { await self.radioEvent(event) } })
        lifecycle.tasks.append(
            Task { [channels] in
                for await address in channels.connectionLimiter.failedLinks { await self.linkFailed(to: address) }
            })
        await tellListening()
        guard !lifecycle.isStopping else { return }
        do {
            try await radio.start()
        } catch {
            // A radio that was stopped may refuse to start.
            guard !lifecycle.isStopping else { return }
            await stop()
            throw error
        }
        // Listen before advertising, because dials to a beacon without a PSM fail.
        await openRadio()
        for transport in transports.others where !lifecycle.isStopping { await open(transport) }
        guard !lifecycle.isStopping else { return }
        // Do not wait for the first advertisement. A bluetoothd that hangs would delay all answers.
        lifecycle.hasStarted.resolve(with: .success(()))
        adoptCircle()
        guard let networks = environment.networks else { return }
        lifecycle.tasks.append(Task { for await state in networks { self.networksChanged(state) } })
        if let datagrams = environment.datagrams {
            lifecycle.tasks.append(Task { for await each in datagrams.received { self.received(each) } })
        }
    }

    /// Accepts nothing new, and waits until streams have ended and apps have answered for the
    /// activities that they fetched. Returns after the limit at the latest. ``stop()`` ends what is
    /// left.
    ///
    /// - Parameter limit: The longest time to wait.
    public func drain(for limit: Duration) async {
        guard !lifecycle.isDraining else { return }
        let drained = Waiters<Void>()
        lifecycle.drain = drained
        advertisedChanged()
        guard isHandingOver else { return }
        logger.notice(
            "waiting \(limit) at most for \(streams.placeCount) pairs of streams and \(continuations.pendingCount) apps"
        )
        try? await drained.value(until: clock.uptime + limit, clock, late: Self.ending)
    }

    /// The error for requests that come after the service has begun to end.
    static let ending = BatonError(.connectionUnavailable, .ending)

    private func streamsChanged() {
        schedule(.streams, at: streams.deadline)
        listeningChanged()
        drainIfDone()
    }

    private func continuationsChanged() {
        schedule(.continuations, at: continuations.deadline)
        listeningChanged()
        drainIfDone()
    }

    private var isHandingOver: Bool { streams.placeCount > 0 || continuations.pendingCount > 0 }

    private func drainIfDone() {
        if lifecycle.drain != nil, !isHandingOver { lifecycle.drain?.resolve(with: .success(())) }
    }

    /// Ends all operations, stops advertising, and releases the state directory for another
    /// service.
    public func stop() async {
        guard !lifecycle.isStopping else { return }
        lifecycle.isStopping = true
        lifecycle.hasStarted.resolve(with: .success(()))
        lifecycle.hasNetworks.resolve(with: .success(()))
        peers.awaited.giveUp()
        peers.probes.giveUp()
        timetable.end()
        lan.stop()
        await reachability.listeners.close()
        channels.connectionLimiter.closeAll()
        channels.pendingChannels.closeAll()
        peers.dials.cancel { _ in true }
        if let run = pairings.run { happened(.abandoned, toPairing: run.id) }
        pairings.code?.finish(Self.withdrawn)
        apps.saves.endAll()
        apps.saveTurns.endAll()
        let (ending, links) = (streams.all, peers.links.open)
        for pair in ending { pair.handle.stop() }
        for link in links { link.drain(.shutdown) }
        for link in links { link.channel.close() }
        for pair in ending {
            if let outcome = try? await pair.handle.ended.get() { streamsEnded(pair.id, outcome) }
        }
        await closed(ending.map(\.channel))
        await radio.stop()
        for task in lifecycle.tasks { task.cancel() }
        news.finish()
        (tellClient, tellGiven) = ({ _ in }, { _ in })
        store.release()
    }

    private func open(_ transport: any ChannelTransport) async {
        do {
            try await listen(on: transport)
        } catch {
            logger.warning("cannot listen on \(transport.kind), going on without: \(error)")
        }
    }

    private func listen(on transport: any ChannelTransport) async throws {
        let listener = try await channels.listen(on: transport) { [background] channel in
            background.begin { await self.accepted(channel) }
        }
        guard !lifecycle.isStopping else { return await listener.close() }
        reachability.listeners.opened(listener, on: transport.traits)
    }

    /// Opens the radio's listener unless it is open. A radio without an adapter cannot listen yet.
    /// Attempts run one after the other.
    func openRadio() async {
        let attempt = Task { [before = lifecycle.radioOpening] in
            await before?.value
            await tryToOpenRadio()
        }
        lifecycle.radioOpening = attempt
        await attempt.value
    }

    private func tryToOpenRadio() async {
        guard reachability.listeners[radio.kind] == nil, !lifecycle.isStopping else { return }
        do {
            try await listen(on: radio)
        } catch {
            logger.debug("the radio accepts no channels yet: \(error)")
            return
        }
        if !lifecycle.isStopping { await radioDoorChanged() }
    }
}

extension Array where Element == UInt8 {
    /// Makes an array of random bytes from the system's generator.
    init(randomBytes count: Int) {
        var generator = SystemRandomNumberGenerator()
        self = (0..<count).map { _ in generator.next() }
    }
}

extension String {
    /// Makes an unguessable name: random bytes in hexadecimal digits.
    init(randomBytes count: Int) {
        self = [UInt8](randomBytes: count).hexadecimal
    }
}
