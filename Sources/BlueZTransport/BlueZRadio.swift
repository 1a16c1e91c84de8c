// SPDX-License-Identifier: GPL-3.0-or-later

public import BatonTransport
internal import DBus
internal import L2CAP
public import Logging
public import NIOCore

/// Bluetooth LE through bluetoothd (advertising, scanning, adapters) and the kernel (credit-based
/// channels).
///
/// Endpoint addresses are written `C0:FF:EE:00:00:01/public`; an endpoint's port is an LE PSM.
/// Every powered adapter is used, or the one that was named. Channels are of the lowest Bluetooth
/// security: nothing is ever paired, what travels is protected above.
public actor BlueZRadio: Radio {
    /// What the radio is told from below, in order.
    enum Input: Sendable {
        case owner(String?)
        /// bluetoothd has not answered, and is to be asked for its objects.
        case unanswered(owner: String)
        /// It is time to open a listener that could not be opened.
        case listenerDue
        case signal(DBusSignal)
        case device(String, [String: DBusValue])
        case advertiser(adapter: String, Advertiser.Outcome)
        case scanner(adapter: String, Scanner.Outcome)
    }

    /// What is done later.
    enum AlarmName {
        /// Advertisers that were silent for long are forgotten.
        case expiry
        /// A bluetoothd that did not answer is asked again.
        case question
        /// A bluetoothd that was silent for a while is asked whether it lives.
        case pulse
        /// A listener that could not be opened is opened.
        case listener
    }

    private enum Phase { case idle, started, stopped }

    let configuration: BlueZConfiguration
    let clock: any DeviceClock
    let logger: Logger
    let paths = ObjectPaths()
    let told = RadioEventQueue()
    nonisolated let channels: L2CAPChannels
    private var phase = Phase.idle
    private var runner: Task<Void, Never>?
    private var starter: CheckedContinuation<Void, Never>?

    var connection: DBusConnection?
    var bluetoothd = KnownBluetoothd()
    var inputs: InputQueue?

    var objects: BlueZObjects
    var sessions = AdapterSessions<AdapterSession> { await $0.stop() }
    var reports: ReportFilter
    var status: StatusTracker
    var alarms = Alarms<AlarmName>()
    var links = LinkUses()
    var ownLinks = OwnLinks()
    var listener = ListenerSocket<ChannelAcceptor>()
    private(set) var listening = Listening.always

    /// A radio at rest; ``start()`` begins work.
    ///
    /// - Parameters:
    ///   - configuration: Which adapters, and how.
    ///   - group: What the channels run on.
    ///   - clock: Measures pauses and retries.
    ///   - logger: Told at trace and debug what happens.
    public init(
        configuration: BlueZConfiguration = BlueZConfiguration(), group: any EventLoopGroup,
        clock: any DeviceClock = SystemClock(), logger: Logger
    ) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        channels = L2CAPChannels(
            group: group, receiveMTU: configuration.receiveMTU, clock: clock, logger: logger)
        objects = BlueZObjects(adapterName: configuration.adapter)
        reports = ReportFilter(prefix: configuration.payloadPrefix)
        status = StatusTracker(wantedAdapter: configuration.adapter) { AdapterPrivacy.isOn(adapter: $0) }
    }

    /// A radio. The window of a stream is half of a socket's receive buffer. A second connection
    /// to a device that is about to answer would break the first, so a dial waits for 4 s of
    /// silence (Decisions/0034-one-link-to-a-device.md). A dial may fail for reasons of the moment,
    /// so it is made three times (Decisions/0005-broken-links.md).
    public nonisolated let traits = TransportTraits(
        kind: .l2cap, range: .radio, streamWindow: 65_536, streamChunk: 8_192, pauseBetweenDials: .seconds(4),
        dialAttempts: 3)

    /// What is heard, and how the radio is; for one consumer.
    public nonisolated func events() -> AsyncStream<RadioEvent> { told.events }

    /// Connects to the system bus and begins work; returns once it is known which adapters there
    /// are. bluetoothd and adapters may come later.
    ///
    /// - Throws: ``TransportError`` when there is no system bus.
    public func start() async throws {
        guard phase == .idle else { return }
        phase = .started
        channels.traffic.onBegin { [weak self] in
            guard let self else { return }
            Task { await self.trafficBegan() }
        }
        do {
            let connection = try await configuration.openBus()
            runner = Task { await self.run(connection) }
            await withCheckedContinuation { starter = $0 }
        } catch {
            phase = .idle
            throw TransportError(
                .radioUnavailable, "there is no system bus: start dbus, or set DBUS_SYSTEM_BUS_ADDRESS",
                cause: (error as? DBusError)?.name)
        }
    }

    /// Stops advertising and scanning, closes the listener and ends ``events()``; channels stay.
    public func stop() async {
        guard phase != .stopped else { return }
        phase = .stopped
        runner?.cancel()
        inputs?.finish()
        await runner?.value
        await closeListener()
        for ending in sessions.endAll() { await ending.value }
        connection?.close()
        told.finish()
    }

    /// Replaces what every adapter advertises.
    ///
    /// - Throws: ``TransportError`` for more than 24 bytes.
    public func advertise(_ payload: [UInt8]?) async throws {
        guard (payload?.count ?? 0) <= BlueZ.payloadLimit else {
            throw TransportError(
                .invalidArgument,
                "an advertisement has room for \(BlueZ.payloadLimit) bytes, not \(payload?.count ?? 0)")
        }
        let wish = sessions.want(payload)
        await withTaskGroup { group in
            for session in sessions.all {
                group.addTask { await session.advertiser.want(wish.payload, generation: wish.generation) }
            }
        }
    }

    /// Listens so much from now on, on every adapter.
    public func scan(_ listening: Listening) async {
        self.listening = listening
        for session in sessions.all { await session.scanner.want(listening) }
    }

    private func trafficBegan() async {
        for session in sessions.all { await session.scanner.keepRhythm() }
    }

    /// Drops the link to a peer on every adapter, with all that is on it.
    public func disconnect(_ endpoint: Endpoint) async {
        guard let address = BluetoothAddress(endpoint.address) else { return }
        await bluetoothd.daemon?.disconnect([address], on: sessions.adapters)
    }

    // MARK: -

    /// The first look around is over.
    func didStart() {
        starter?.resume()
        starter = nil
    }

    /// Serves one connection after the other, until the radio is stopped.
    private func run(_ first: DBusConnection) async {
        var next: DBusConnection? = first
        var delay = Duration.seconds(1)
        while !Task.isCancelled {
            if let connection = next {
                delay = .seconds(1)
                await serve(connection)
                didStart()
                // At the stop there is something to take back first.
                guard !Task.isCancelled else { return }
                connection.close()
            }
            guard (try? await clock.sleep(until: clock.uptime + delay)) != nil else { return }
            delay = min(delay * 2, .seconds(30))
            next = try? await configuration.openBus()
        }
    }
}
