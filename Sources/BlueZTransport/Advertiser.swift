// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import DBus
internal import Logging

/// Keeps one adapter's advertisement as wanted, through `LEAdvertisingManager1`.
actor Advertiser {
    private let daemon: BlueZDaemon
    private let adapter: String
    private let paths: ObjectPaths
    private let clock: any DeviceClock
    private let logger: Logger
    private let report: @Sendable (Refusal?) -> Void
    private var plan: AdvertisingPlan
    private var generation: UInt64 = 0
    private var path: String?
    private var isRunning = false
    private var alarm = Alarm()
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Creates an advertiser that advertises nothing.
    ///
    /// - Parameter report: Called with a refusal by bluetoothd, or with nil when bluetoothd has
    ///   taken the advertisement or none is wanted. After a refusal that is not final, the
    ///   advertiser tries again.
    init(
        daemon: BlueZDaemon, adapter: String, paths: ObjectPaths, clock: any DeviceClock, logger: Logger,
        report: @escaping @Sendable (Refusal?) -> Void
    ) {
        self.daemon = daemon
        self.adapter = adapter
        self.paths = paths
        self.clock = clock
        self.logger = logger
        self.report = report
        plan = AdvertisingPlan(pause: BlueZConfiguration.advertisingPause)
    }

    /// Replaces the advertisement. Returns when the new advertisement is on the air, when an
    /// attempt has failed, or when the advertisement is replaced again.
    ///
    /// - Parameter generation: A number that grows with each replacement. An outdated request that
    ///   arrives late is ignored.
    func want(_ payload: [UInt8]?, generation: UInt64) async {
        guard generation >= self.generation else { return }
        if generation > self.generation { releaseWaiters() }
        self.generation = generation
        plan.want(payload)
        kick()
        guard !plan.isSettled else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    /// Tries a refused advertisement again, because bluetoothd has a free slot for an
    /// advertisement.
    func roomIsFree() {
        plan.roomIsFree()
        kick()
    }

    /// Registers the advertisement again after a peer connected.
    ///
    /// The controller stops advertising when a peer connects, and bluetoothd does not restart it.
    func wasLinked() {
        plan.wasSilenced()
        kick()
    }

    /// Stops advertising for good.
    func stop() async {
        await want(nil, generation: .max)
        alarm.clear()
    }

    // MARK: -

    private func kick() {
        guard !isRunning else { return }
        isRunning = true
        alarm.clear()
        Task { await run() }
    }

    private func run() async {
        while true {
            if plan.isSettled { releaseWaiters() }
            switch plan.next(now: clock.uptime) {
            case .register(let payload): await register(payload)
            case .unregister: await unregister()
            case .wait(let moment):
                isRunning = false
                return alarm.set(to: moment, clock) { await self.kick() }
            case .rest:
                isRunning = false
                // If no advertisement is wanted, an earlier refusal does not matter.
                if plan.wanted == nil { report(nil) }
                return
            }
        }
    }

    private func releaseWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private func register(_ payload: [UInt8]) async {
        let path = paths.next("advertisement")
        self.path = path
        do {
            try daemon.connection.export(advertisement(payload, at: path), at: path)
            try await daemon.call(
                adapter, BlueZ.advertisingManager, "RegisterAdvertisement", [.objectPath(path), .properties([:])])
            logger.debug("advertising", metadata: ["adapter": "\(adapter)", "path": "\(path)"])
            plan.didRegister(payload)
            // The path has changed if bluetoothd released the advertisement before its answer was
            // read.
            if self.path != path { plan.wasReleased() }
            report(nil)
        } catch {
            let refusal = Refusal(.advertise, because: error, times: plan.failures + 1)
            logger.debug("advertisement refused", metadata: ["adapter": "\(adapter)", "error": "\(error)"])
            // Unregister the advertisement, because bluetoothd may have registered it after the
            // time limit for the answer.
            if refusal.error.name == DBusError.noReply {
                await daemon.attempt(adapter, BlueZ.advertisingManager, "UnregisterAdvertisement", [.objectPath(path)])
            }
            daemon.connection.unexport(path: path)
            self.path = nil
            plan.didFail(now: clock.uptime, isFinal: refusal.isFinal, isFull: refusal.isFull)
            report(refusal)
        }
    }

    private func unregister() async {
        if let path {
            await daemon.attempt(adapter, BlueZ.advertisingManager, "UnregisterAdvertisement", [.objectPath(path)])
            daemon.connection.unexport(path: path)
        }
        path = nil
        plan.didUnregister()
    }

    private func wasReleased(_ path: String) {
        guard path == self.path else { return }
        logger.debug("bluetoothd has dropped the advertisement", metadata: ["adapter": "\(adapter)"])
        daemon.connection.unexport(path: path)
        self.path = nil
        plan.wasReleased()
        kick()
    }

    private func advertisement(_ payload: [UInt8], at path: String) -> DBusObject {
        let data = DBusValue.dictionary(
            keySignature: "q", valueSignature: "v", [.init(.uint16(BlueZ.company), .variant(.bytes(payload)))])
        return DBusObject(interfaces: [
            DBusInterface(
                BlueZ.advertisement,
                methods: [
                    DBusMethod("Release") { [weak self, daemon] invocation in
                        guard invocation.sender == daemon.owner else {
                            throw DBusError(name: DBusError.accessDenied, message: "")
                        }
                        await self?.wasReleased(path)
                        return []
                    }
                ],
                properties: [
                    DBusProperty("Type", constant: .string("peripheral")),
                    DBusProperty("ManufacturerData", constant: data),
                    DBusProperty("MinInterval", constant: .uint32(BlueZConfiguration.advertisingInterval.lowerBound)),
                    DBusProperty("MaxInterval", constant: .uint32(BlueZConfiguration.advertisingInterval.upperBound)),
                ])
        ])
    }
}
