// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonProtocol
public import BatonTransport
internal import L2CAP
internal import Logging
public import NIOCore

/// Credit-based channels, dialled and accepted.
extension BlueZRadio {
    /// The one listener, and what it needs to open when the named adapter appears.
    struct Door {
        let id: UInt64
        let initializer: AcceptedChannelInitializer
        var acceptor: ChannelAcceptor?
        /// The PSM that was given first, asked for again whenever the door is opened anew.
        var psm: UInt16?
    }

    /// Dials a peer by way of the adapter that heard it last.
    ///
    /// - Throws: ``TransportError``, `CancellationError`.
    public func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        guard endpoint.transport == .l2cap, let peer = BluetoothAddress(endpoint.address),
            (0x80...0xFF).contains(endpoint.port)
        else { throw TransportError(.invalidArgument, "\(endpoint) is not an address of Bluetooth LE with a PSM") }
        let heard = objects.adapter(hearing: peer).flatMap { sessions[$0] == nil ? nil : $0 }
        guard let adapter = heard ?? sessions.keys.min(), let source = objects.adapters[adapter]?.address else {
            throw TransportError(.radioUnavailable, status?.summary ?? "the Bluetooth radio has not been started")
        }
        let pause = Task { [clock, scanner = sessions[adapter]?.scanner] in
            await scanner?.pause()
            // A peer that does not answer at once is not worth being deaf for.
            try? await clock.sleep(until: clock.uptime + .seconds(5))
            await scanner?.resume()
        }
        defer { pause.cancel() }
        let use = use(peer)
        await endUnusedLinks()
        let deadline = ContinuousClock.now + timeout
        do {
            let descriptor = try await dial(peer, from: source, psm: endpoint.port, until: deadline)
            let channel = try await adopter.adopt(
                descriptor, isAccepted: false, onBrokenLink: breaker(of: peer), initializer: initializer)
            release(use, afterClosing: channel)
            return channel
        } catch {
            release(use)
            throw error
        }
    }

    /// Accepts channels on one PSM of every adapter in use, also of those that appear later.
    ///
    /// - Throws: ``TransportError``.
    public func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        guard door == nil else { throw TransportError(.invalidArgument, "the radio listens already") }
        generation += 1
        var door = Door(id: generation, initializer: initializer)
        if configuration.adapter == nil {
            door.acceptor = try open(on: nil, psm: nil, initializer)
            door.psm = door.acceptor?.psm
        }
        self.door = door
        updateDoor()
        return BlueZListener(radio: self, id: door.id)
    }

    /// Where the listener can be dialled; adapters' names give the order.
    func doorEndpoints(_ id: UInt64) -> [Endpoint] {
        guard let door, door.id == id, let psm = door.acceptor?.psm else { return [] }
        return sessions.keys.sorted().compactMap { path in
            objects.adapters[path]?.address.map {
                Endpoint(transport: .l2cap, address: $0.description, port: psm)
            }
        }
    }

    func closeDoor(_ id: UInt64? = nil) async {
        guard let door, id == nil || door.id == id else { return }
        self.door = nil
        await door.acceptor?.close()
    }

    /// Opens the door of a named adapter once its address is known; such a socket outlives the adapter's absence.
    func updateDoor() {
        guard let name = configuration.adapter, let door,
            let address = objects.adapters.values.first(where: { $0.name == name })?.address,
            door.acceptor?.address != address
        else { return }
        if let old = door.acceptor { Task { await old.close() } }
        do {
            let acceptor = try open(on: address, psm: door.psm, door.initializer)
            self.door?.acceptor = acceptor
            self.door?.psm = acceptor.psm
        } catch {
            self.door?.acceptor = nil
            logger.debug("cannot listen", metadata: ["adapter": "\(name)", "error": "\(error)"])
        }
    }

    // MARK: -

    private func open(
        on address: BluetoothAddress?, psm: UInt16?, _ initializer: @escaping AcceptedChannelInitializer
    ) throws(TransportError) -> ChannelAcceptor {
        let watcher = try self.descriptorWatcher()
        let accept: @Sendable (CInt, BluetoothAddress) async -> Void = { [weak self] descriptor, peer in
            guard let self else { return L2CAPSocket.close(descriptor) }
            await self.accepted(descriptor, peer, initializer)
        }
        return try ChannelAcceptor(
            on: address, psm: psm, receiveMTU: configuration.receiveMTU, watcher: watcher, clock: clock, logger: logger,
            accept: accept)
    }

    private func accepted(
        _ descriptor: CInt, _ peer: BluetoothAddress, _ initializer: @escaping AcceptedChannelInitializer
    ) async {
        let endpoint = Endpoint(transport: .l2cap, address: peer.description, port: 0)
        let use = use(peer)
        do {
            let channel = try await adopter.adopt(descriptor, isAccepted: true, onBrokenLink: breaker(of: peer)) {
                initializer($0, endpoint)
            }
            release(use, afterClosing: channel)
        } catch {
            release(use)
            logger.debug("an accepted channel came to nothing", metadata: ["peer": "\(peer)", "error": "\(error)"])
        }
    }

    /// What is done when a link to a peer turns out to be broken: nothing but dropping it helps.
    private func breaker(of peer: BluetoothAddress) -> @Sendable () -> Void {
        { [weak self] in
            guard let self else { return }
            Task {
                self.logger.debug("broken link, dropping it", metadata: ["peer": "\(peer)"])
                await self.disconnect(Endpoint(transport: .l2cap, address: peer.description, port: 0))
            }
        }
    }

    func descriptorWatcher() throws(TransportError) -> DescriptorWatcher {
        if let watcher { return watcher }
        guard let made = DescriptorWatcher() else {
            throw TransportError(.resourceExhausted, "no file descriptors are left: close other channels first")
        }
        watcher = made
        return made
    }
}

/// The door that ``BlueZRadio`` has opened.
struct BlueZListener: Listener {
    let radio: BlueZRadio
    let id: UInt64

    func endpoints() async -> [Endpoint] { await radio.doorEndpoints(id) }

    func close() async { await radio.closeDoor(id) }
}
