// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import DBus
internal import Logging

/// Makes one adapter listen in its ``ScanRhythm``.
///
/// The scanner uses a monitor if bluetoothd offers monitors and keeps them, and otherwise
/// discovery.
actor Scanner {
    enum Outcome: Sendable, Equatable {
        /// The adapter listens, with an advertisement monitor or with discovery.
        case listening(monitors: Bool)
        /// The adapter does not listen now, as the rhythm demands.
        case resting
        /// bluetoothd refused to scan. The scanner tries again unless the refusal is final.
        case refused(Refusal)
        /// A monitor matched the device at this path.
        case found(String)
        /// A monitor has not heard the device at this path for a while.
        case lost(String)
    }

    /// The current way of listening.
    private enum Mode: Equatable {
        case idle
        case monitor(root: String)
        case discovery
    }

    private let daemon: BlueZDaemon
    private let adapter: String
    private let offersMonitors: Bool
    private let prefix: [UInt8]
    private let paths: ObjectPaths
    private let clock: any DeviceClock
    private let logger: Logger
    private let traffic: ChannelTraffic
    private let report: @Sendable (Outcome) -> Void
    private var rhythm: ScanRhythm
    private var turn = Alarm()
    private var mode = Mode.idle
    private var isMonitorActive = false
    private var droppedMonitors = DroppedMonitors()
    private var failures = 0
    private var isStopped = false
    /// Whether `StartDiscovery` must be called again although reports may already arrive.
    private var isUncertain = false
    private var isRunning = false
    private var isStarted = false
    private var pauses = 0
    private var runner: Task<Void, Never>?
    private var alarm = Alarm()

    /// Creates a scanner that does not listen yet.
    ///
    /// - Parameters:
    ///   - offersMonitors: Whether the adapter has `AdvertisementMonitorManager1`.
    ///   - prefix: The first bytes of the manufacturer data's value.
    ///   - traffic: The channels' traffic, during which the scanner listens less.
    init(
        daemon: BlueZDaemon, adapter: String, offersMonitors: Bool, prefix: [UInt8], paths: ObjectPaths,
        traffic: ChannelTraffic, clock: any DeviceClock, logger: Logger,
        report: @escaping @Sendable (Outcome) -> Void
    ) {
        self.daemon = daemon
        self.adapter = adapter
        self.offersMonitors = offersMonitors
        self.prefix = prefix
        self.paths = paths
        self.traffic = traffic
        self.clock = clock
        self.logger = logger
        self.report = report
        rhythm = ScanRhythm(hasMonitor: offersMonitors, at: clock.uptime)
    }

    /// Begins to listen, and keeps trying until ``stop()``.
    func start() async {
        isStarted = true
        await keepRhythm()
    }

    /// Changes how much to listen.
    func want(_ listening: Listening) async {
        rhythm.want(listening, at: clock.uptime)
        await keepRhythm()
    }

    /// Starts or stops listening as the rhythm demands. Call this after every change that affects
    /// the rhythm.
    func keepRhythm() async {
        guard isStarted, !isStopped else { return }
        let now = clock.uptime
        rhythm.carry(until: traffic.end, at: now)
        setTurn()
        if rhythm.isOn(at: now) { listen() } else { await rest() }
    }

    private func setTurn() {
        turn.set(to: rhythm.nextChange(after: clock.uptime), clock) { await self.turnIsOver() }
    }

    private func turnIsOver() async {
        turn.wentOff()
        await keepRhythm()
    }

    /// Stops listening for a while. Does nothing during an attempt to listen, because the attempt
    /// calls this function when it ends.
    private func rest() async {
        guard !isRunning else { return }
        alarm.clear()
        isUncertain = false
        let former = mode
        mode = .idle
        // Report this first, because bluetoothd may forget devices from now on.
        report(.resting)
        await end(former)
    }

    private func listen() {
        guard isStarted, !isStopped, !isRunning, pauses == 0, mode == .idle || isUncertain,
            rhythm.isOn(at: clock.uptime)
        else { return }
        isUncertain = false
        isRunning = true
        alarm.clear()
        runner = Task { await self.run() }
    }

    /// Restarts discovery after a pause, because bluetoothd reports that the adapter no longer
    /// discovers.
    func discoveryEnded() {
        guard mode == .discovery else { return }
        mode = .idle
        retry()
    }

    /// Stops discovery during a dial. Each call must be followed by a call of ``resume()``.
    ///
    /// The kernel connects only between scan windows, which are 10 s long during discovery. A
    /// monitor does not disturb dials.
    func pause() async {
        pauses += 1
        await stopDiscovery()
    }

    /// Stops discovery because of a dial. Does nothing during an attempt to listen, because the
    /// attempt calls this function when it ends.
    private func stopDiscovery() async {
        guard mode == .discovery, !isStopped else { return }
        mode = .idle
        isUncertain = false
        alarm.clear()
        await daemon.attempt(adapter, BlueZ.adapter, "StopDiscovery")
    }

    /// Listens again after ``pause()``. Call it once for each pause.
    func resume() {
        pauses -= 1
        listen()
    }

    /// Stops listening for good. Discovery for other programs continues, because bluetoothd counts
    /// its clients.
    func stop() async {
        isStopped = true
        alarm.clear()
        turn.clear()
        await runner?.value
        await end(mode)
        mode = .idle
    }

    private func end(_ mode: Mode) async {
        switch mode {
        case .idle: break
        case .monitor(let root): await unregister(root)
        case .discovery: await daemon.attempt(adapter, BlueZ.adapter, "StopDiscovery")
        }
    }

    // MARK: -

    private func run() async {
        await tryToListen()
        isRunning = false
        guard !isStopped else { return }
        if mode != .idle {
            rhythm.hasMonitor = mode != .discovery
            setTurn()
        }
        // A dial may have begun while bluetoothd started the discovery.
        if pauses > 0 { await stopDiscovery() }
        if !rhythm.isOn(at: clock.uptime) { await rest() }
    }

    private func tryToListen() async {
        do {
            let mayUseMonitor = offersMonitors && droppedMonitors.allowMonitor(at: clock.uptime)
            if mayUseMonitor, mode == .idle, try await takesMonitor() {
                guard mode != .idle else { return }
                failures = 0
                return report(.listening(monitors: true))
            }
            guard !isStopped, pauses == 0 else { return }
            try await startDiscovery()
            report(.listening(monitors: false))
        } catch {
            let refusal = Refusal(.scan, because: error)
            logger.debug("scanning refused", metadata: ["adapter": "\(adapter)", "error": "\(error)"])
            report(.refused(refusal))
            if !refusal.isFinal { retry() }
        }
    }

    private func retry() {
        guard !isStopped, alarm.deadline == nil else { return }
        failures += 1
        let moment = clock.uptime + .seconds(1 << min(failures - 1, 5))
        alarm.set(to: moment, clock) { await self.alarmWentOff() }
    }

    private func alarmWentOff() {
        alarm.wentOff()
        // If an attempt is still under way, try again after it. bluetoothd may have dropped the
        // monitor of that attempt.
        if isRunning { retry() } else { listen() }
    }

    private func startDiscovery() async throws {
        let filter = DBusValue.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])
        try await daemon.call(adapter, BlueZ.adapter, "SetDiscoveryFilter", [filter])
        do {
            try await daemon.call(adapter, BlueZ.adapter, "StartDiscovery")
            failures = 0
        } catch let error as DBusError where error.name == "org.bluez.Error.InProgress" {
            takeForDiscovery()
        }
        mode = .discovery
    }

    /// Treats the answer InProgress like a start of discovery, and for a minute schedules further
    /// attempts.
    ///
    /// bluetoothd gives this answer while another program's scan is starting or stopping, or if
    /// Baton's own discovery already runs. Reports arrive in all these cases, but perhaps Baton's
    /// own discovery was not started. After a minute, no start or stop can still be under way. If
    /// the answer is the same then, a scan runs, and bluetoothd will report its end.
    private func takeForDiscovery() {
        isUncertain = failures < 6
        if isUncertain { retry() } else { failures = 0 }
    }

    /// Registers a monitor, and returns whether bluetoothd accepted it. If not, discovery is used
    /// until the next attempt.
    ///
    /// - Throws: `DBusError` when bluetoothd does not answer, because it would not start discovery
    ///   either.
    private func takesMonitor() async throws -> Bool {
        do {
            try await registerMonitor()
            return true
        } catch let error as DBusError where error.name != DBusError.noReply {
            logger.debug("no monitor, ignoring", metadata: ["adapter": "\(adapter)", "error": "\(error)"])
            return false
        }
    }

    private func registerMonitor() async throws {
        let root = paths.next("scan")
        try daemon.connection.export(application(root), at: root)
        // Set the mode first, because bluetoothd may release the monitor before its answer is read.
        mode = .monitor(root: root)
        isMonitorActive = false
        do {
            try daemon.connection.export(monitor(root), at: root + "/monitor")
            try await daemon.call(adapter, BlueZ.monitorManager, "RegisterMonitor", [.objectPath(root)])
        } catch {
            // If there was no answer, unregister the monitor, because bluetoothd may have
            // registered it after the time limit.
            if (error as? DBusError)?.name == DBusError.noReply { await unregister(root) } else { unexport(root) }
            mode = .idle
            throw error
        }
    }

    private func unregister(_ root: String) async {
        await daemon.attempt(adapter, BlueZ.monitorManager, "UnregisterMonitor", [.objectPath(root)])
        unexport(root)
    }

    private func unexport(_ root: String) {
        daemon.connection.unexport(path: root + "/monitor")
        daemon.connection.unexport(path: root)
    }

    private func wasActivated(_ root: String) {
        guard mode == .monitor(root: root) else { return }
        isMonitorActive = true
        droppedMonitors.activated()
    }

    private func wasReleased(_ root: String) {
        guard mode == .monitor(root: root) else { return }
        logger.debug("bluetoothd has dropped the monitor", metadata: ["adapter": "\(adapter)"])
        if !isMonitorActive, droppedMonitors.dropped(at: clock.uptime) {
            logger.notice("bluetoothd keeps no monitor, so the adapter discovers", metadata: ["adapter": "\(adapter)"])
        }
        mode = .idle
        unexport(root)
        retry()
    }

    /// The monitor's properties. The monitor's only pattern is the company identifier and the
    /// payload prefix at the start of the AD structure.
    private var monitorProperties: [String: DBusValue] {
        let content = [UInt8(BlueZ.company & 0xFF), UInt8(BlueZ.company >> 8)] + prefix
        let pattern = DBusValue.structure([.byte(0), .byte(BlueZ.manufacturerDataType), .bytes(content)])
        return [
            "Type": .string("or_patterns"),
            "Patterns": .array(elementSignature: "(yyay)", [pattern]),
        ]
    }

    /// Returns the object that bluetoothd asks for the monitors.
    private func application(_ root: String) -> DBusObject {
        let objects = DBusValue.dictionary(
            keySignature: "o", valueSignature: "a{sa{sv}}",
            [
                .init(
                    .objectPath(root + "/monitor"),
                    .dictionary(
                        keySignature: "s", valueSignature: "a{sv}",
                        [.init(.string(BlueZ.monitor), .properties(monitorProperties))]))
            ])
        return DBusObject(interfaces: [
            DBusInterface(
                BlueZ.objectManager,
                methods: [
                    DBusMethod("GetManagedObjects", outputs: [DBusArgument("objects", "a{oa{sa{sv}}}")]) { _ in
                        [objects]
                    }
                ])
        ])
    }

    private func monitor(_ root: String) -> DBusObject {
        let owner = daemon.owner
        let report = report
        @Sendable func check(_ invocation: DBusInvocation) throws {
            guard invocation.sender == owner else {
                throw DBusError(name: DBusError.accessDenied, message: "not yours")
            }
        }
        func device(_ name: String, _ outcome: @escaping @Sendable (String) -> Outcome) -> DBusMethod {
            DBusMethod(name, inputs: [DBusArgument("device", "o")]) { invocation in
                try check(invocation)
                if let path = invocation.arguments.first?.objectPathValue { report(outcome(path)) }
                return []
            }
        }
        return DBusObject(interfaces: [
            DBusInterface(
                BlueZ.monitor,
                methods: [
                    DBusMethod("Release") { [weak self] invocation in
                        try check(invocation)
                        await self?.wasReleased(root)
                        return []
                    },
                    DBusMethod("Activate") { [weak self] invocation in
                        try check(invocation)
                        await self?.wasActivated(root)
                        return []
                    },
                    device("DeviceFound") { .found($0) },
                    device("DeviceLost") { .lost($0) },
                ],
                properties: monitorProperties.sorted { $0.key < $1.key }.map {
                    DBusProperty($0.key, constant: $0.value)
                })
        ])
    }
}
