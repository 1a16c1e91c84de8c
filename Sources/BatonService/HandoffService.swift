// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
public import BatonTransport
import Foundation
public import Logging
import NIOCore

/// The daemon's heart: what this device's apps publish, what other devices offer, and the hand-over between them.
///
/// It carries out the state machines of `BatonProtocol` over a radio and, when wanted, TCP. Each of its concerns has a file of its own, an extension.
public actor HandoffService {
    /// What a service needs to begin.
    public struct Configuration: Sendable {
        /// Where the state file lives; made 0700 when it is missing.
        public var stateDirectory: String
        /// What a new device is called.
        public var deviceName: String

        /// A configuration.
        public init(stateDirectory: String, deviceName: String) {
            self.stateDirectory = stateDirectory
            self.deviceName = deviceName
        }
    }

    /// What everyone is to be told, for one consumer; it may be slow, and is told less then.
    public nonisolated var events: AsyncStream<ServiceEvent> { news.events }
    let news = ServiceNews()
    /// Tells one program at once, in order.
    private(set) var tellClient: @Sendable (ClientEvent) -> Void = { _ in }

    let radio: any Radio
    let tcp: (any ChannelTransport)?
    let clock: any DeviceClock
    let isPresent: @Sendable (ClientID) async -> Bool
    let logger: Logger
    let keyring = Keyring()
    let channels: SecureChannels

    var store: StateStore
    var radioStatus = RadioStatus(condition: .absent, summary: "the radio has not started yet", adapters: [])
    var radioHasSpoken = false
    /// How the service fared when it was told last.
    var lastCondition: ServiceCondition?
    var radioListener: (any Listener)?
    private var radioOpening: Task<Void, Never>?
    var tcpListener: (any Listener)?
    var tcpEndpoints: [EndpointRecord] = []
    var tasks: [Task<Void, Never>] = []
    let background = BackgroundTasks()
    private var hasStarted = false
    private var startWaiters: [CheckedContinuation<Void, Never>] = []
    var isStopping = false

    // Advertising and offers
    var advertiser: BeaconAdvertiser?
    var advertiserAlarm = Alarm()
    var cipher: BeaconCipher?
    var hasher: ActivityHasher?
    var formerHashers = FormerHashers()
    /// The circle's secret that all these go by.
    var adoptedSecret: CircleSecret?
    var book: OfferBook
    var bookAlarm = Alarm()
    var registry: ActivityRegistry
    /// What of the apps' activities may be advertised: while the user is away or wants it so, nothing.
    var isAdvertisable: @Sendable (_ type: String, _ application: String?) -> Bool = { _, _ in true }
    /// What apps on this device continue, running or not.
    var declared: Set<ActivityKind> = []
    var registryAlarm = Alarm()
    /// Why the newer contents that an activity's app has cannot be handed over.
    var refusals: [String: HandoffError] = [:]
    var pendingSaves: [String: [CheckedContinuation<Void, Never>]] = [:]

    // Other devices
    /// The links to devices that requests go over.
    var links = PeerLinks()
    /// Every link whose channel is open, those that drain among them.
    var openLinks: [ObjectIdentifier: PeerLink] = [:]
    var lastTold: Hello?
    var dials: [DialID: Dial] = [:]
    /// How often devices are dialled because they seem to be near.
    var nearPaces: [DeviceID: DialPace] = [:]
    var knownEndpoints: [DeviceID: (endpoints: [Endpoint], until: Duration)] = [:]
    var names: [DeviceID: String] = [:]
    var invitations: [String: Invitation] = [:]
    /// The uptimes at which they are over.
    var invitationEnds: [String: Duration] = [:]
    var invitationAlarm = Alarm()
    var pairing: PairingRun?
    /// The last code that was shown.
    var code: CodeRun?
    var pairingLimiter = PairingLimiter()
    /// Which pairing advertisement is on the air at an address, for a radio may tell of each once only.
    var pairingSightings: [String: PairingAdvert] = [:]
    /// Under which nonces devices advertised that earlier runs have spoken to; the last first.
    var metPairingNonces: [[UInt8]] = []
    /// Who advertises while this device is in no circle: addresses, and how strongly.
    var strangers: [String: Int] = [:]
    var hails = HailSchedule()
    var hailListener = HailListener()
    var hailAlarm = Alarm()
    var clockSearch = ClockSearch()
    var clockAlarm = Alarm()
    var peerClocks = PeerClocks()
    /// Where a device with another clock seemed to be, and when it was last dialled for that.
    var foundByClock: [DeviceID: (endpoint: Endpoint, at: Duration)] = [:]
    /// Where hails came from, for a while.
    var hailedFrom: [DeviceID: (endpoint: Endpoint, until: Duration)] = [:]
    /// When a device that may not know the circle was last dialled for it.
    var lastSync: [DeviceID: Duration] = [:]
    var newsBudget = NewsBudget()
    /// What is advertised but for hails.
    var ordinaryAdvertisement: [UInt8]?
    var hailOnAir: (device: DeviceID, bytes: [UInt8])?

    // Hand-overs
    var fetches: [FetchID: Fetch] = [:]
    var continuations: [String: Continuation] = [:] { didSet { setContinuationAlarm() } }
    var continuationAlarm = Alarm()
    var givenAway: [[UInt8]: Duration] = [:]
    var lineage = Lineage()
    var tokens = StreamTokens<DeviceID>()
    var streams: [String: StreamRecord] = [:]
    var streamPlaces = StreamPlaces()

    /// A service that has not begun; its device is made when there was none.
    ///
    /// - Parameters:
    ///   - tcp: dialled and listened on beside the radio; nil for none.
    ///   - isPresent: whether a program is still there; asked when a stream's socket was closed, for a program that has crashed has not ended
    ///     what it sends.
    /// - Throws: ``ServiceError/Code/stateUnusable``.
    public init(
        configuration: Configuration, radio: any Radio, tcp: (any ChannelTransport)?, clock: any DeviceClock,
        logger: Logger, isPresent: @escaping @Sendable (ClientID) async -> Bool = { _ in true }
    ) throws {
        self.isPresent = isPresent
        self.radio = radio
        self.tcp = tcp
        self.clock = clock
        self.logger = logger
        store = try StateStore(directory: configuration.stateDirectory, name: configuration.deviceName)
        let doorkeeper = Doorkeeper(clock: clock) { address in
            Task { await radio.disconnect(Endpoint(transport: radio.kind, address: address, port: 0)) }
        }
        channels = SecureChannels(
            certificate: try DeviceCertificate(identity: store.state.identity), keyring: keyring,
            doorkeeper: doorkeeper, logger: logger)
        book = OfferBook(own: store.state.identity.id.short)
        registry = ActivityRegistry {
            (id: UUID().uuidString.lowercased(), instance: Array(randomBytes: ContinueGrant.instanceLength))
        }
    }

    var identity: DeviceIdentity { store.state.identity }
    var circle: Circle? { store.state.circle }
    var alarms: [Alarm] {
        [advertiserAlarm, bookAlarm, registryAlarm, hailAlarm, clockAlarm, invitationAlarm, continuationAlarm]
    }
    var moment: BeaconAdvertiser.Moment { .init(unixTime: clock.unixTime, uptime: clock.uptime) }

    /// Returns once ``start()`` has opened the doors, as far as they can be opened, or the service ends. A program whose first call has the
    /// daemon started must not be told that nobody can reach it.
    public func started() async {
        guard !hasStarted, !isStopping else { return }
        await withCheckedContinuation { startWaiters.append($0) }
    }

    private func tellStarted() {
        for waiter in startWaiters { waiter.resume() }
        startWaiters = []
    }

    /// Begins: opens the doors, advertises, scans.
    ///
    /// - Parameter tellClient: tells one program something, or has that wait in order; called until ``stop()`` returns. It must not block, for
    ///   the service waits for it.
    /// - Throws: `TransportError` when the radio can never work here.
    public func start(tellClient: @escaping @Sendable (ClientEvent) -> Void) async throws {
        if store.state.isCircleUnproved { logger.warning("\(Self.unprovedCircle)") }
        self.tellClient = tellClient
        tasks.append(Task { [radio] in for await event in radio.events() { await self.radioEvent(event) } })
        do {
            try await radio.start()
        } catch {
            await stop()
            throw error
        }
        // The door first: a beacon that names none draws dials that come to nothing.
        await openRadio()
        await openTCP()
        // What is advertised need not be on the air for that: a bluetoothd that hangs would hold the answers up.
        hasStarted = true
        tellStarted()
        await adoptCircle()
    }

    /// Ends all that is under way, falls silent, and leaves the state directory to another service.
    public func stop() async {
        guard !isStopping else { return }
        isStopping = true
        tellStarted()
        for alarm in alarms { alarm.cancel() }
        await radioListener?.close()
        await tcpListener?.close()
        channels.doorkeeper.closeAll()
        for dial in dials.values { dial.task.cancel() }
        pairing?.input.yield(.abandoned)
        code?.finish(Self.withdrawn)
        for waiter in pendingSaves.values.joined() { waiter.resume() }
        pendingSaves = [:]
        let (ending, links) = (streams, openLinks.values.map(\.self))
        for stream in ending.values { stream.channel.close() }
        for link in links { await link.drain(.shutdown) }
        for link in links { link.channel.close() }
        for (name, stream) in ending {
            if let outcome = try? await stream.ended.get() { await streamsEnded(name, outcome) }
        }
        await radio.stop()
        for task in tasks { task.cancel() }
        news.finish()
        tellClient = { _ in }
        store.release()
    }

    private func openTCP() async {
        guard let tcp else { return }
        do {
            let listener = try await channels.listen(on: tcp) { [background] channel in
                background.begin { await self.accepted(channel) }
            }
            guard !isStopping else { return await listener.close() }
            tcpListener = listener
        } catch {
            logger.warning("TCP cannot be listened on, going on without: \(error)")
        }
    }

    /// Opens the radio's door unless it is open; a radio without an adapter has none yet. One attempt after the other.
    func openRadio() async {
        let attempt = Task { [radioOpening] in
            await radioOpening?.value
            await tryToOpenRadio()
        }
        radioOpening = attempt
        await attempt.value
    }

    private func tryToOpenRadio() async {
        guard radioListener == nil, !isStopping else { return }
        do {
            let listener = try await channels.listen(on: radio) { [background] channel in
                background.begin { await self.accepted(channel) }
            }
            guard !isStopping else { return await listener.close() }
            radioListener = listener
        } catch {
            logger.debug("the radio accepts no channels yet: \(error)")
            return
        }
        await psmChanged()
    }
}

/// One thing to do at an uptime, replaced as a whole.
struct Alarm {
    private var deadline: Duration?
    private var task: Task<Void, Never>?

    var isSet: Bool { deadline != nil }

    /// Sets, moves or clears the alarm.
    mutating func set(_ deadline: Duration?, clock: any DeviceClock, action: @escaping @Sendable () async -> Void) {
        guard deadline != self.deadline else { return }
        task?.cancel()
        self.deadline = deadline
        task = deadline.map { deadline in
            Task {
                guard (try? await clock.sleep(until: deadline)) != nil else { return }
                await action()
            }
        }
    }

    /// The alarm went off: the next ``set(_:clock:action:)`` counts, even with the same deadline.
    mutating func wentOff() { deadline = nil }

    func cancel() { task?.cancel() }
}

extension Array where Element == UInt8 {
    /// Bytes from the system's generator.
    init(randomBytes count: Int) {
        var generator = SystemRandomNumberGenerator()
        self = (0..<count).map { _ in generator.next() }
    }
}
