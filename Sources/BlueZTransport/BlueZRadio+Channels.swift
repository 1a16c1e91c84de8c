// SPDX-License-Identifier: GPL-3.0-or-later

public import BatonTransport
internal import Diagnosis
internal import L2CAP
internal import Logging
public import NIOCore

/// Dialling and accepting credit-based channels.
extension BlueZRadio {
    /// Dials a peer through the adapter that heard the peer last, or through the first adapter if
    /// none has heard the peer.
    ///
    /// - Throws: ``TransportError``, `CancellationError`.
    public func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        guard endpoint.transport == .l2cap, let peer = BluetoothAddress(endpoint.address),
            L2CAPSocket.dynamicPSMs.contains(endpoint.port)
        else { throw TransportError(.invalidArgument, "\(endpoint) is not an address of Bluetooth LE with a PSM") }
        let heard = objects.adapter(hearing: peer).flatMap { sessions[$0] == nil ? nil : $0 }
        guard let adapter = heard ?? sessions.adapters.first, let source = objects.adapters[adapter]?.address else {
            throw TransportError(
                .radioUnavailable, "the Bluetooth radio is not ready (\(status.last?.problem?.code ?? "not started"))")
        }
        let pause = Task { [clock, scanner = sessions[adapter]?.scanner] in
            await scanner?.pause()
            // If the peer does not answer soon, scan again. A slower dial is better than missing
            // other peers.
            try? await clock.sleep(until: clock.uptime + .seconds(5))
            await scanner?.resume()
        }
        ownLinks.begin(peer, at: clock.uptime)
        defer {
            pause.cancel()
            ownLinks.end(peer, at: clock.uptime)
        }
        let use = links.use(peer)
        // End unused links, because the peer may be a device that has changed its address and still
        // has a link under the old address.
        await bluetoothd.daemon?.disconnect(links.takeUnused(), on: sessions.adapters)
        do {
            let channel = try await dial(
                peer, from: source, of: adapter, psm: endpoint.port, until: .now + timeout, initializer: initializer)
            release(use, afterClosing: channel)
            return channel
        } catch {
            links.release(use)
            throw error
        }
    }

    /// Dials a peer. If an existing link is silent, ends the link and dials again.
    private func dial(
        _ peer: BluetoothAddress, from source: BluetoothAddress, of adapter: String, psm: UInt16,
        until deadline: ContinuousClock.Instant, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        let channels = channels
        let breaker = breaker(of: peer)
        let dial = {
            try await channels.dial(
                peer, from: source, psm: psm, until: deadline, onBrokenLink: breaker, initializer: initializer)
        }
        let cure = Task { await self.endSilentLink(to: peer, on: adapter) }
        defer { cure.cancel() }
        do {
            return try await dial()
        } catch let error as TransportError {
            cure.cancel()
            guard await cure.value else { throw error }
            logger.debug("the link was silent, dialling anew", metadata: ["peer": "\(peer)"])
            return try await dial()
        }
    }

    /// Ends the link to a peer if the link stays silent for too long after a dial that begins now.
    ///
    /// Two kernels that dial each other at the same time may wait for each other forever.
    ///
    /// - Returns: Whether the link was ended; `false` if the task was cancelled before that.
    func endSilentLink(to peer: BluetoothAddress, on adapter: String) async -> Bool {
        let begin = clock.uptime
        var next = begin + LinkUses.silenceLimit
        while (try? await clock.sleep(until: next)) != nil, !Task.isCancelled {
            let end = links.endOfPatience(peer, dialledAt: begin)
            if let end, end <= clock.uptime, let daemon = bluetoothd.daemon,
                await daemon.isConnected(peer, on: adapter)
            {
                await daemon.disconnect([peer], on: [adapter])
                return true
            }
            next = end.flatMap { $0 > clock.uptime ? $0 : nil } ?? clock.uptime + LinkUses.silenceLimit
        }
        return false
    }

    /// Accepts channels on one PSM of every adapter in use, including adapters that appear later.
    ///
    /// - Throws: ``TransportError``.
    public func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        let id = try listener.listen(initializer)
        do {
            if configuration.adapter == nil { try openListener(on: nil) }
        } catch {
            _ = listener.close(id)
            throw error
        }
        updateListener()
        if listener.fault != nil { report() }
        return BlueZListener(radio: self, id: id)
    }

    /// Returns a report on whether the kernel takes the bytes of a channel.
    public nonisolated func delivery(on channel: any Channel) -> EventLoopFuture<ChannelDelivery?> {
        channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: RelayedChannelHandler.self).delivery
        }.recover { _ in nil }
    }

    /// Returns the endpoints at which a listener can be dialled, in the order of the adapters.
    func endpoints(ofListener id: UInt64) -> [Endpoint] {
        guard let psm = listener.psm(of: id) else { return [] }
        return sessions.adapters.compactMap { path in
            objects.adapters[path]?.address.map {
                Endpoint(transport: .l2cap, address: $0.description, port: psm)
            }
        }
    }

    func closeListener(_ id: UInt64? = nil) async { await listener.close(id)?.close() }

    /// Opens the listener of a named adapter once the adapter's address is known. After a failure,
    /// tries again later.
    func updateListener() {
        guard let name = configuration.adapter,
            let address = objects.adapters.values.first(where: { $0.name == name })?.address
        else { return }
        do {
            try openListener(on: address)
        } catch {
            logger.debug("cannot listen", metadata: ["adapter": "\(name)", "error": "\(error)"])
            listener.didFail(error)
            alarms.set(.listener, to: clock.uptime + Self.pauseBeforeAskingAgain, clock) { [inputs] in
                inputs?.pass(.listenerDue)
            }
        }
    }

    // MARK: -

    private func openListener(on address: BluetoothAddress?) throws(TransportError) {
        guard let opening = listener.opening(on: address) else { return }
        if let old = listener.takeSocket() { Task { await old.close() } }
        let socket = try channels.listen(on: address, psm: opening.psm) { [weak self] descriptor, peer in
            guard let self else { return ChannelCloser.close(descriptor) }
            await self.accepted(descriptor, peer, opening.initializer)
        }
        listener.didOpen(socket)
    }

    private func accepted(
        _ descriptor: CInt, _ peer: BluetoothAddress, _ initializer: @escaping AcceptedChannelInitializer
    ) async {
        let endpoint = Endpoint(transport: .l2cap, address: peer.description, port: 0)
        let use = links.use(peer, isOwn: true)
        do {
            let channel = try await channels.adopt(accepted: descriptor, onBrokenLink: breaker(of: peer)) {
                initializer($0, endpoint)
            }
            release(use, afterClosing: channel)
        } catch {
            links.release(use)
            logger.debug("an accepted channel came to nothing", metadata: ["peer": "\(peer)", "error": "\(error)"])
        }
    }

    private func release(_ use: LinkUses.Use?, afterClosing channel: any Channel) {
        guard let use else { return }
        channel.closeFuture.whenComplete { [weak self] _ in
            guard let self else { return }
            Task { await self.release(use) }
        }
    }

    private func release(_ use: LinkUses.Use) { links.release(use) }

    /// Returns a function that disconnects a peer, because nothing else helps when a link is
    /// broken.
    private func breaker(of peer: BluetoothAddress) -> @Sendable () -> Void {
        { [weak self] in
            guard let self else { return }
            Task {
                self.logger.debug("broken link, dropping it", metadata: ["peer": "\(peer)"])
                await self.disconnect(Endpoint(transport: .l2cap, address: peer.description, port: 0))
            }
        }
    }
}

/// A listener of a ``BlueZRadio``.
struct BlueZListener: Listener {
    let radio: BlueZRadio
    let id: UInt64

    func endpoints() async -> [Endpoint] { await radio.endpoints(ofListener: id) }

    func close() async { await radio.closeListener(id) }
}
