// SPDX-License-Identifier: GPL-3.0-or-later

public import BatonTransport
internal import DBus
internal import L2CAP
public import Logging
public import NIOCore

/// Bluetooth LE through bluetoothd and the kernel.
///
/// bluetoothd advertises, scans and manages adapters. The kernel provides credit-based channels.
///
/// Endpoint addresses are written `C0:FF:EE:00:00:01/public`, and an endpoint's port is an LE PSM.
/// The radio uses every powered adapter, or only the configured one. Channels have the lowest
/// Bluetooth security and devices are never paired, because the layers above protect the data.
public actor BlueZRadio: Radio {
    /// An event from the layers below, handled in order.
    enum Input: Sendable {
        case owner(String?)
        /// bluetoothd has not answered. Ask bluetoothd for its objects again.
        case unanswered(owner: String)
        /// The pause after a failure is over. Try again to open a listener.
        case listenerDue
        case signal(DBusSignal)
        case device(String, [String: DBusValue])
        case advertiser(adapter: String, Refusal?)
        case scanner(adapter: String, Scanner.Outcome)
    }

    /// The purposes of the radio's alarms.
    enum AlarmName {
        /// Forget advertisers that were silent for too long.
        case expiry
        /// Ask bluetoothd again, because it did not answer.
        case question
        /// Check that an idle bluetoothd still answers.
        case pulse
        /// Try again to open a listener.
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

    /// Creates a radio. The radio does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - configuration: The adapters to use, and how.
    ///   - group: The event loops of the channels.
    ///   - clock: The clock that measures pauses and retries.
    ///   - logger: The logger for messages at the levels trace and debug.
    public init(
        configuration: BlueZConfiguration = BlueZConfiguration(), group: any EventLoopGroup,
        clock: any DeviceClock = SystemClock(), logger: Logger
    ) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        channels = L2CAPChannels(group: group, receiveMTU: configuration.receiveMTU, clock: clock, logger: logger)
        objects = BlueZObjects(adapterName: configuration.adapter)
        reports = ReportFilter(prefix: configuration.payloadPrefix)
        status = StatusTracker(wantedAdapter: configuration.adapter) { AdapterPrivacy.isOn(adapter: $0) }
    }

    /// The traits of Bluetooth LE.
    ///
    /// The window of a stream is half of a socket's receive buffer. A second dial to a device that
    /// is about to answer would break the first, so the next dial waits for 4 s of silence
    /// (Decisions/0034-one-link-to-a-device.md). A dial may fail for a temporary reason, so it is
    /// tried up to three times (Decisions/0005-broken-links.md).
    public nonisolated let traits = TransportTraits(
        kind: .l2cap, range: .radio, streamWindow: 65_536, streamChunk: 8_192, pauseBetweenDials: .seconds(4),
        dialAttempts: 3)

    /// Returns the radio's sightings and status changes, for one consumer.
    public nonisolated func events() -> AsyncStream<RadioEvent> { told.events }

    /// Connects to the system bus and starts work. Returns when the present adapters are known.
    ///
    /// bluetoothd and adapters may appear later.
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
            // The radio may have been stopped while the bus answered.
            guard phase == .started else { return connection.close() }
            runner = Task { await self.run(connection) }
            await withCheckedContinuation { starter = $0 }
        } catch {
            if phase == .started { phase = .idle }
            throw TransportError(
                .radioUnavailable, "there is no system bus: start dbus, or set DBUS_SYSTEM_BUS_ADDRESS",
                cause: (error as? DBusError)?.name)
        }
    }

    /// Stops advertising and scanning, closes the listener and ends ``events()``. Open channels
    /// stay open.
    public func stop() async {
        guard phase != .stopped else { return }
        phase = .stopped
        alarms.end()
        runner?.cancel()
        inputs?.finish()
        await runner?.value
        // A runner that was cancelled before it began has not done this.
        didStart()
        await closeListener()
        for ending in sessions.endAll() { await ending.value }
        connection?.close()
        told.finish()
    }

    /// Replaces the advertisement on every adapter.
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

    /// Changes how much every adapter scans.
    public func scan(_ listening: Listening) async {
        self.listening = listening
        for session in sessions.all { await session.scanner.want(listening) }
    }

    private func trafficBegan() async {
        for session in sessions.all { await session.scanner.keepRhythm() }
    }

    /// Disconnects a peer on every adapter, which ends all channels on its links.
    public func disconnect(_ endpoint: Endpoint) async {
        guard let address = BluetoothAddress(endpoint.address) else { return }
        await bluetoothd.daemon?.disconnect([address], on: sessions.adapters)
    }

    // MARK: -

    /// Lets ``start()`` return after the first input.
    func didStart() {
        starter?.resume()
        starter = nil
    }

    /// Serves the connection to the bus until the radio is stopped. Makes a new connection whenever
    /// one ends.
    private func run(_ first: DBusConnection) async {
        var next: DBusConnection? = first
        var delay = Duration.seconds(1)
        while !Task.isCancelled {
            if let connection = next {
                delay = .seconds(1)
                await serve(connection)
                didStart()
                // ``stop()`` still needs the connection, to end the advertisement and the scan.
                guard !Task.isCancelled else { return }
                connection.close()
            }
            guard (try? await clock.sleep(until: clock.uptime + delay)) != nil else { return }
            delay = min(delay * 2, .seconds(30))
            next = try? await configuration.openBus()
        }
    }
}
