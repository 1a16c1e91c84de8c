// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
public import BatonTransport
import FoundationEssentials
public import Logging
import NIOCore
public import TraceModel

/// The daemon's heart: what this device's apps publish, what other devices offer, and the hand-over
/// between them.
///
/// It carries out the state machines of `BatonProtocol` over its transports. Its state belongs to
/// parts, which it conducts (Decisions/0054-the-service-has-parts.md).
public actor HandoffService {
    /// What a service needs to begin.
    public struct Configuration: Sendable {
        /// Where the state file lives; made 0700 when it is missing.
        public var stateDirectory: String
        /// What a new device is called.
        public var deviceName: String
        /// How long an accepted channel may take once it is no stranger's.
        var patience = ChannelPatience()

        /// A configuration.
        public init(stateDirectory: String, deviceName: String) {
            self.stateDirectory = stateDirectory
            self.deviceName = deviceName
        }
    }

    /// What everyone is to be told, for one consumer; it may be slow, and is told less then.
    public nonisolated let events: AsyncStream<ServiceEvent>
    var news = ServiceNews()
    /// Tells one program at once, in order.
    private(set) var tellClient: @Sendable (ClientEvent) -> Void = { _ in }
    /// Tells what has left this device.
    var tellGiven: @Sendable (GivenActivity) -> Void = { _ in }

    let environment: ServiceEnvironment
    let keyring = Keyring()
    let channels: SecureChannels
    var store: StateStore
    var lifecycle = Lifecycle()
    let background = BackgroundTasks()
    var timetable = Timetable<TimedPart>()

    var reachability = Reachability()
    var advertising = Advertising()
    var sightings: Sightings
    var peers = Peers() { didSet { listeningChanged() } }
    var pairings = Pairings() { didSet { listeningChanged() } }
    var listening = ListeningPlan()
    var invitations = OpenInvitations() { didSet { invitationsChanged() } }

    var apps: AppActivities
    var continuations = Continuations<PeerLink>() { didSet { continuationsChanged() } }
    var streams = OpenStreams<SecureChannel>() { didSet { streamsChanged() } }

    /// A service that has not begun; its device is made when there was none.
    ///
    /// - Parameters:
    ///   - transports: The ways to other devices.
    ///   - trace: Who wants to know what happens.
    ///   - isPresent: Whether a program is still there; asked when a stream's socket was closed,
    ///     for a program that has crashed has not ended what it sends.
    ///   - whyRefused: Why an adapter may not speak for a program, which goes by the id of an app;
    ///     nil when it may. Asked before contents leave.
    /// - Throws: ``BatonError/Code/stateUnusable``.
    public init(
        configuration: Configuration, transports: Transports, clock: any DeviceClock,
        logger: Logger, trace: TraceRecorder = TraceRecorder(),
        isPresent: @escaping @Sendable (ClientID) async -> Bool = { _ in true },
        whyRefused: @escaping @Sendable (_ speaker: ClientID, _ application: String?) async -> String? = { _, _ in nil }
    ) throws {
        environment = ServiceEnvironment(
            transports: transports, clock: clock, isPresent: isPresent, whyRefused: whyRefused, logger: logger,
            trace: trace)
        store = try StateStore(directory: configuration.stateDirectory, name: configuration.deviceName)
        if let failure = store.failure { logger.error("what this device has to keep cannot be written: \(failure)") }
        channels = SecureChannels(
            certificate: try DeviceCertificate(identity: store.state.identity), keyring: keyring,
            connectionLimiter: ConnectionLimiter(clock: clock), clock: clock, logger: logger,
            patience: configuration.patience)
        events = news.events
        sightings = Sightings(book: OfferBook(own: store.state.identity.id.short))
        apps = AppActivities(
            registry: ActivityRegistry {
                (id: UUID().uuidString.lowercased(), instance: Array(randomBytes: ContinueGrant.instanceLength))
            })
    }

    nonisolated var transports: Transports { environment.transports }
    nonisolated var radio: any Radio { transports.radio }
    nonisolated var clock: any DeviceClock { environment.clock }
    nonisolated var logger: Logger { environment.logger }
    /// Tells what happens to whoever records it.
    public nonisolated var trace: TraceRecorder { environment.trace }
    var identity: DeviceIdentity { store.state.identity }
    var circle: Circle? { store.state.circle }
    var radioStatus: RadioStatus {
        reachability.heardRadioStatus
            ?? RadioStatus(condition: .absent, summary: "the radio has not started yet", adapters: [])
    }
    /// Now, on both clocks. The monotonic one is read first: when a second passes in between, what
    /// is known to be true for so many seconds ends early, and never late.
    var moment: BeaconAdvertiser.Moment {
        let uptime = clock.uptime
        return .init(unixTime: clock.unixTime, uptime: uptime)
    }

    /// Returns once ``start()`` has opened the doors, as far as they can be opened, or the service
    /// ends. A program whose first call has the daemon started must not be told that nobody can
    /// reach it.
    public func started() async {
        // In a task of its own: who asks waits also when it is given up.
        await Task { [hasStarted = lifecycle.hasStarted] in try? await hasStarted.value() }.value
    }

    /// Begins: opens the doors, advertises, scans.
    ///
    /// - Parameters:
    ///   - tellClient: Tells one program something, or has that wait in order; called until
    ///     ``stop()`` returns. It must not block, for the service waits for it.
    ///   - tellGiven: Takes each activity that another device has got; the same holds for it.
    /// - Throws: `TransportError` when the radio can never work here.
    public func start(
        tellClient: @escaping @Sendable (ClientEvent) -> Void,
        tellGiven: @escaping @Sendable (GivenActivity) -> Void = { _ in }
    ) async throws {
        try? store.signName()
        if store.state.isCircleUnproved { logger.warning("\(Self.unprovedCircle)") }
        (self.tellClient, self.tellGiven) = (tellClient, tellGiven)
        lifecycle.tasks.append(Task { [radio] in for await event in radio.events() { await self.radioEvent(event) } })
        lifecycle.tasks.append(
            Task { [channels] in
                for await address in channels.connectionLimiter.failedLinks { await self.linkFailed(to: address) }
            })
        await tellListening()
        do {
            try await radio.start()
        } catch {
            await stop()
            throw error
        }
        // The door first: a beacon that names none draws dials that come to nothing.
        await openRadio()
        for transport in transports.others { await open(transport) }
        // What is advertised need not be on the air for that: a bluetoothd that hangs would hold
        // the answers up.
        lifecycle.hasStarted.resolve(with: .success(()))
        await adoptCircle()
    }

    /// Takes nothing new from now on, and returns once all streams have ended and the apps have
    /// said whether they take over what came, or their time is over; ``stop()`` cuts what is left.
    ///
    /// - Parameter limit: How long they have.
    public func drain(for limit: Duration) async {
        guard !lifecycle.isDraining else { return }
        let drained = Waiters<Void>()
        lifecycle.drain = drained
        await advertisedChanged()
        guard isHandingOver else { return }
        logger.notice(
            "waiting \(limit) at most for \(streams.placeCount) pairs of streams and \(continuations.pendingCount) apps"
        )
        try? await drained.value(until: clock.uptime + limit, clock, late: Self.ending)
    }

    /// What is told of what comes too late.
    static let ending = BatonError(.connectionUnavailable, "batond ends; try again when it runs anew")

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

    /// Ends all that is under way, falls silent, and leaves the state directory to another service.
    public func stop() async {
        guard !lifecycle.isStopping else { return }
        lifecycle.isStopping = true
        lifecycle.hasStarted.resolve(with: .success(()))
        peers.awaited.giveUp()
        peers.probes.giveUp()
        timetable.end()
        await reachability.listeners.close()
        channels.connectionLimiter.closeAll()
        peers.dials.cancel { _ in true }
        if let run = pairings.run { happened(.abandoned, toPairing: run.id) }
        pairings.code?.finish(Self.withdrawn)
        apps.saves.endAll()
        apps.saveTurns.endAll()
        let (ending, links) = (streams.all, peers.links.open)
        for pair in ending { pair.handle.stop() }
        for link in links { await link.drain(.shutdown) }
        for link in links { link.channel.close() }
        for pair in ending {
            if let outcome = try? await pair.handle.ended.get() { await streamsEnded(pair.id, outcome) }
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

    /// Opens the radio's door unless it is open; a radio without an adapter has none yet. One
    /// attempt after the other.
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
        if !lifecycle.isStopping { await psmChanged() }
    }
}

extension Array where Element == UInt8 {
    /// Bytes from the system's generator.
    init(randomBytes count: Int) {
        var generator = SystemRandomNumberGenerator()
        self = (0..<count).map { _ in generator.next() }
    }
}

extension String {
    /// A name that nobody guesses, of random bytes in hexadecimal digits.
    init(randomBytes count: Int) {
        self = [UInt8](randomBytes: count).hexadecimal
    }
}
