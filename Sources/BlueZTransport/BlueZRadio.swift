// SPDX-License-Identifier: GPL-3.0-or-later

public import BatonProtocol
public import BatonTransport
internal import DBus
internal import L2CAP
public import Logging
public import NIOCore

/// Bluetooth LE through bluetoothd (advertising, scanning, adapters) and the kernel (credit-based channels).
///
/// Endpoint addresses are written `C0:FF:EE:00:00:01/public`; an endpoint's port is an LE PSM. Every powered adapter is used, or the one that was
/// named. Channels are of the lowest Bluetooth security: nothing is ever paired, what travels is protected above.
public actor BlueZRadio: Radio {
    /// What the radio is told from below, in order.
    enum Input: Sendable {
        case owner(String?)
        /// bluetoothd has not told its objects when it was asked.
        case untold(owner: String)
        case signal(DBusSignal)
        case device(String, [String: DBusValue])
        case advertiser(adapter: String, Advertiser.Outcome)
        case scanner(adapter: String, Scanner.Outcome)
    }

    /// The work on one adapter that is ready.
    struct Session {
        let advertiser: Advertiser
        let scanner: Scanner
        let monitors: Bool
        var advertisingRefusal: DBusError?
        var scanningRefusal: DBusError?
    }

    private enum Phase { case idle, started, stopped }

    let configuration: BlueZConfiguration
    let clock: any DeviceClock
    let logger: Logger
    let paths = ObjectPaths()
    let told = RadioEventQueue()
    let adopter: ChannelAdopter
    private var phase = Phase.idle
    private var runner: Task<Void, Never>?
    private var starter: CheckedContinuation<Void, Never>?

    var connection: DBusConnection?
    var daemon: BlueZDaemon?
    var objects: BlueZObjects
    var sessions: [String: Session] = [:]
    var endings: [String: Task<Void, Never>] = [:]
    var wanted: [UInt8]?
    var generation: UInt64 = 0
    var status: RadioStatus?
    /// Whether each adapter hides its address; `nil` where the kernel does not tell.
    var privacy: [String: Bool?] = [:]
    var sightings: [BluetoothAddress: (payload: [UInt8], at: Duration)] = [:]
    var questions = 0
    var expiry: Task<Void, Never>?
    var isExpiryDue = false
    /// What asks for everything once more.
    var nextQuestion: Task<Void, Never>?
    var inputs: InputQueue?

    var watcher: DescriptorWatcher?
    /// Dials that were given up and wait to be closed.
    var abandoned = 0
    var door: Door?
    /// The private addresses that were dialled or accepted from, and how many dials and channels use the link to each.
    var links: [BluetoothAddress: Int] = [:]

    /// A radio at rest; ``start()`` begins work.
    ///
    /// - Parameters:
    ///   - configuration: which adapters, and how.
    ///   - group: what the channels run on.
    ///   - clock: measures pauses and retries.
    ///   - logger: told at trace and debug what happens.
    public init(
        configuration: BlueZConfiguration = BlueZConfiguration(), group: any EventLoopGroup,
        clock: any DeviceClock = SystemClock(), logger: Logger
    ) {
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        objects = BlueZObjects(adapterName: configuration.adapter)
        adopter = ChannelAdopter(group: group)
    }

    /// ``TransportKind/l2cap``.
    public nonisolated var kind: TransportKind { .l2cap }

    /// What is heard, and how the radio is; for one consumer.
    public nonisolated func events() -> AsyncStream<RadioEvent> { told.events }

    /// Connects to the system bus and begins work; returns once it is known which adapters there are. bluetoothd and adapters may come later.
    ///
    /// - Throws: ``TransportError`` when there is no system bus.
    public func start() async throws {
        guard phase == .idle else { return }
        phase = .started
        do {
            let connection = try await open()
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
        await closeDoor()
        for path in sessions.keys { endSession(path) }
        for ending in endings.values { await ending.value }
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
        wanted = payload
        generation += 1
        await withTaskGroup { group in
            for session in sessions.values {
                group.addTask { [generation] in await session.advertiser.want(payload, generation: generation) }
            }
        }
    }

    /// Drops the link to a peer on every adapter, with all that is on it.
    public func disconnect(_ endpoint: Endpoint) async {
        guard let address = BluetoothAddress(endpoint.address), let daemon else { return }
        await withTaskGroup { group in
            for adapter in sessions.keys {
                let path = BlueZ.devicePath(adapter: adapter, octets: address.octets)
                group.addTask { await daemon.attempt(path, BlueZ.device, "Disconnect") }
            }
        }
    }

    // MARK: -

    /// The first look around is over.
    func didStart() {
        starter?.resume()
        starter = nil
    }

    func open() async throws -> DBusConnection {
        guard let address = configuration.busAddress else { return try await DBusConnection.system() }
        return try await DBusConnection.open(address: address)
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
            next = try? await open()
        }
    }
}
