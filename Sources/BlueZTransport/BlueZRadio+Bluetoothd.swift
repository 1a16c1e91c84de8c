// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import DBus
internal import Diagnosis
internal import L2CAP
internal import Logging

/// The radio's reactions to bluetoothd.
extension BlueZRadio {
    /// The pause before bluetoothd is asked again for its objects if it did not answer.
    static let pauseBeforeAskingAgain = Duration.seconds(30)

    /// Serves one connection to the bus until it ends or the radio is stopped.
    func serve(_ connection: DBusConnection) async {
        self.connection = connection
        let inputs = InputQueue()
        self.inputs = inputs
        let signals: DBusSubscription
        let forwarders: [Task<Void, Never>]
        do {
            // A single subscription keeps all signals in order. The signals wait in one queue,
            // which reports an overflow.
            signals = try await connection.onSignal(matching: DBusMatch(sender: BlueZ.service)) { signal in
                inputs.pass(.signal(signal))
            }
            let owners = try await connection.nameOwnerChanges(of: BlueZ.service)
            inputs.pass(.owner(try await connection.owner(of: BlueZ.service)))
            forwarders = [
                Task { for await change in owners { inputs.pass(.owner(change.newOwner)) } },
                Task {
                    for await _ in connection.disconnected {}
                    inputs.finish()
                },
            ]
        } catch {
            logger.debug("the system bus ended early", metadata: ["error": "\(error)"])
            return
        }
        for await input in inputs.stream {
            await take(input)
            guard inputs.hadOverflowed() else { continue }
            // Some signals were dropped, and may have reported changes. Start again, as after a
            // restart of bluetoothd.
            logger.debug("too many signals, asking for everything again")
            await take(.owner(nil))
            await take(.owner(try? await connection.owner(of: BlueZ.service)))
        }
        signals.cancel()
        for forwarder in forwarders { forwarder.cancel() }
        alarms.clear()
        guard !Task.isCancelled else { return }
        apply(objects.forgetEverything())
        bluetoothd = KnownBluetoothd()
        self.connection = nil
        report()
    }

    private func take(_ input: Input) async {
        objects.now = clock.uptime
        switch input {
        case .owner(let owner): await take(owner: owner)
        case .unanswered(let owner):
            guard let daemon = bluetoothd.daemon, daemon.owner == owner else { return }
            await askForEverything(of: daemon)
        case .listenerDue: updateListener()
        case .signal(let signal):
            // Ignore signals from an earlier bluetoothd, and signals from before the first
            // question.
            guard let daemon = bluetoothd.daemon, signal.sender == daemon.owner else { return }
            bluetoothd.heard = clock.uptime
            apply(objects.take(signal))
            // If bluetoothd has recovered from a hang, ask once for everything that changed during
            // the hang.
            if bluetoothd.hangs { await askForEverything(of: daemon) }
            if signal.interface == BlueZ.properties, let session = sessions[signal.path],
                objects.adapters[signal.path]?.isDiscovering == false,
                signal.arguments.count == 3, signal.arguments[1].propertiesValue?["Discovering"]?.boolValue == false
            {
                await session.scanner.discoveryEnded()
            }
        case .device(let path, let properties):
            apply(objects.take(device: path, properties: properties))
        case .advertiser(let adapter, let refusal):
            guard sessions[adapter] != nil else { return }
            sessions.noteAdvertising(on: adapter, refusal: refusal)
        case .scanner(let adapter, let outcome):
            guard sessions[adapter] != nil else { return }
            switch outcome {
            case .listening(let monitors):
                logger.debug("scanning", metadata: ["adapter": "\(adapter)", "monitors": "\(monitors)"])
                sessions.noteScanning(on: adapter, refusal: nil)
                objects.listens(adapter)
            case .resting:
                sessions.noteScanning(on: adapter, refusal: nil)
                objects.rests(adapter)
            case .refused(let refusal): sessions.noteScanning(on: adapter, refusal: refusal)
            case .found(let path):
                guard path.hasPrefix(adapter + "/") else { return }
                apply(objects.match(path))
            case .lost(let path):
                guard path.hasPrefix(adapter + "/") else { return }
                apply(objects.forget(path))
            }
        }
        scheduleExpiry()
        scheduleQuestion()
        report()
        didStart()
    }

    /// Schedules a check that an idle bluetoothd still answers, with at most one alarm. Any signal
    /// counts as an answer.
    private func scheduleQuestion() {
        guard let limit = configuration.askAfterSilence, alarms.deadline(of: .pulse) == nil,
            let moment = bluetoothd.question(after: limit)
        else { return }
        alarms.set(.pulse, to: moment, clock) { await self.questionIsDue(after: limit) }
    }

    private func questionIsDue(after limit: Duration) async {
        if let moment = bluetoothd.question(after: limit), moment <= clock.uptime, let daemon = bluetoothd.daemon {
            let failure = await daemon.silence()
            if bluetoothd.daemon?.owner == daemon.owner {
                bluetoothd.heard = clock.uptime
                if let failure { didNotAnswer(failure) }
                report()
            }
        }
        alarms.wentOff(.pulse)
        scheduleQuestion()
    }

    /// Schedules the removal of silent advertisers, with at most one alarm.
    private func scheduleExpiry() {
        guard alarms.deadline(of: .expiry) == nil, let moment = objects.nextExpiry else { return }
        alarms.set(.expiry, to: moment, clock) { await self.expiryIsDue() }
    }

    /// Removes silent advertisers. This function does not use the input queue, which may be full.
    private func expiryIsDue() {
        alarms.wentOff(.expiry)
        objects.now = clock.uptime
        apply(objects.expire())
        scheduleExpiry()
    }

    /// Reacts to a start, an end or a restart of bluetoothd.
    private func take(owner: String?) async {
        guard owner != bluetoothd.daemon?.owner || owner == nil else { return }
        apply(objects.forgetEverything())
        bluetoothd = KnownBluetoothd()
        guard let owner, let connection else { return }
        let daemon = BlueZDaemon(connection: connection, owner: owner)
        bluetoothd.daemon = daemon
        bluetoothd.setup = await BluetoothdSetup.read(of: daemon)
        await askForEverything(of: daemon)
    }

    private func askForEverything(of daemon: BlueZDaemon) async {
        do {
            let reply = try await daemon.call("/", BlueZ.objectManager, "GetManagedObjects")
            alarms.clear(.question)
            bluetoothd.failure = nil
            bluetoothd.heard = clock.uptime
            if let value = reply.first { apply(objects.take(managedObjects: value)) }
        } catch {
            // Asking again is harmless if bluetoothd has ended, because the queue already holds the
            // change of its name's owner.
            didNotAnswer(error as? DBusError ?? DBusError(name: DBusError.failed, message: "\(error)"))
        }
    }

    /// Schedules another question for all objects, because bluetoothd may only have been busy.
    private func didNotAnswer(_ error: DBusError) {
        guard let owner = bluetoothd.daemon?.owner else { return }
        logger.debug("bluetoothd does not answer", metadata: ["error": "\(error)"])
        bluetoothd.failure = error
        alarms.set(.question, to: clock.uptime + Self.pauseBeforeAskingAgain, clock) { [inputs] in
            inputs?.pass(.unanswered(owner: owner))
        }
    }

    private func apply(_ changes: [BlueZObjects.Change]) {
        for change in changes {
            switch change {
            case .adapter(let path), .adapterGone(let path):
                updateSession(path)
                updateListener()
            case .room(let path):
                guard let advertiser = sessions[path]?.advertiser else { continue }
                Task { await advertiser.roomIsFree() }
            case .heard(let address, let payload, let signal): heard(address, payload, signal)
            case .linked(let path, let octets): linked(octets, on: path)
            case .leftLinked(let path, let address): endLeftLink(address, on: path)
            case .lost(let address):
                reports.forget(address)
                told.tell(.lost(address: address.description))
            case .ask(let path): ask(path)
            }
        }
    }

    private func heard(_ address: BluetoothAddress, _ payload: [UInt8], _ signal: Int?) {
        guard reports.passes(payload, from: address, at: clock.uptime) else { return }
        told.tell(.sighted(Sighting(address: address.description, payload: payload, signal: signal)))
    }

    /// Handles a new link. If a peer opened the link, advertises again, because the controller has
    /// stopped advertising (Decisions/0086-advertised-anew.md).
    private func linked(_ octets: String, on path: String) {
        if ownLinks.include(octets: octets, at: clock.uptime) {
            return links.cameUp(octets: octets, at: clock.uptime)
        }
        guard let advertiser = sessions[path]?.advertiser else { return }
        Task { await advertiser.wasLinked() }
    }

    /// Ends a link that no channel uses, because a batond that was killed has left it behind.
    private func endLeftLink(_ peer: BluetoothAddress, on path: String) {
        guard !links.peers.contains(peer), let daemon = bluetoothd.daemon else { return }
        Task { await daemon.disconnect([peer], on: [path]) }
    }

    /// Asks for all properties of an unknown device.
    private func ask(_ path: String) {
        guard let daemon = bluetoothd.daemon, let inputs else { return objects.questionEnded() }
        Task {
            let reply = try? await daemon.call(
                path, BlueZ.properties, "GetAll", [.string(BlueZ.device)], timeout: .seconds(5))
            self.objects.questionEnded()
            if let properties = reply?.first?.propertiesValue { inputs.pass(.device(path, properties)) }
        }
    }

    // MARK: - Adapters

    /// Starts, ends or restarts the session of an adapter according to its state.
    private func updateSession(_ path: String) {
        let adapter = objects.adapters[path]
        let isReady = adapter.map { objects.isWanted($0) && $0.isReady } ?? false
        let monitors = adapter?.monitors ?? false
        let beginning = sessions.update(path, isReady: isReady, monitors: monitors) {
            makeSession(path, monitors: monitors)
        }
        guard let beginning else { return }
        Task {
            await beginning.predecessor?.value
            guard self.sessions.begin(beginning) else { return }
            await beginning.session.scanner.want(self.listening)
            await beginning.session.scanner.start()
            let wish = self.sessions.wish
            await beginning.session.advertiser.want(wish.payload, generation: wish.generation)
        }
    }

    private func makeSession(_ path: String, monitors: Bool) -> AdapterSession? {
        guard let daemon = bluetoothd.daemon, let inputs else { return nil }
        return AdapterSession(
            advertiser: Advertiser(
                daemon: daemon, adapter: path, paths: paths, clock: clock, logger: logger,
                report: { inputs.pass(.advertiser(adapter: path, $0)) }),
            scanner: Scanner(
                daemon: daemon, adapter: path, offersMonitors: monitors, prefix: configuration.payloadPrefix,
                paths: paths, traffic: channels.traffic, clock: clock, logger: logger,
                report: { inputs.pass(.scanner(adapter: path, $0)) }))
    }

    /// Reports the radio's status if it has changed.
    func report() {
        var refusals: [String: Refusal] = [:]
        for (path, refusal) in sessions.refusals {
            if let name = objects.adapters[path]?.name { refusals[name] = refusal }
        }
        let isListed = objects.adapters.values.contains(where: objects.isWanted)
        let now = status.update(
            absence: absence, adapters: Array(objects.adapters.values),
            adaptersOfKernel: isListed ? [] : configuration.adaptersOfKernel(), refusals: refusals,
            setup: bluetoothd.setup, listenerFault: listener.fault)
        guard let now else { return }
        logger.debug(
            "radio status", metadata: ["condition": "\(now.condition)", "problem": "\(now.problem?.code ?? "none")"])
        told.tell(.status(now))
    }

    private var absence: BlueZStatus.Absence? {
        guard connection != nil else { return .noBus }
        guard bluetoothd.daemon != nil else { return .noDaemon }
        return bluetoothd.failure.map { .unanswered($0) }
    }
}
