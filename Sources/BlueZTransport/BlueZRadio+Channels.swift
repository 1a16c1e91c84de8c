// SPDX-License-Identifier: GPL-3.0-or-later

public import BatonTransport
internal import L2CAP
internal import Logging
public import NIOCore

/// Credit-based channels, dialled and accepted.
extension BlueZRadio {
    /// Dials a peer by way of the adapter that heard it last.
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
            throw TransportError(.radioUnavailable, status.last?.summary ?? "the Bluetooth radio has not been started")
        }
        let pause = Task { [clock, scanner = sessions[adapter]?.scanner] in
            await scanner?.pause()
            // A peer that does not answer at once is not worth being deaf for.
            try? await clock.sleep(until: clock.uptime + .seconds(5))
            await scanner?.resume()
        }
        ownLinks.begin(peer, at: clock.uptime)
        defer {
            pause.cancel()
            ownLinks.end(peer, at: clock.uptime)
        }
        let use = links.use(peer)
        // It may be the new address of a device at the end of such a link.
        await bluetoothd.daemon?.disconnect(links.takeUnused(), on: sessions.adapters)
        do {
            let channel = try await channels.dial(
                peer, from: source, psm: endpoint.port, until: .now + timeout, onBrokenLink: breaker(of: peer),
                initializer: initializer)
            release(use, afterClosing: channel)
            return channel
        } catch {
            links.release(use)
            throw error
        }
    }

    /// Accepts channels on one PSM of every adapter in use, also of those that appear later.
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

    /// Where a listener can be dialled; adapters' names give the order.
    func endpoints(ofListener id: UInt64) -> [Endpoint] {
        guard let psm = listener.psm(of: id) else { return [] }
        return sessions.adapters.compactMap { path in
            objects.adapters[path]?.address.map {
                Endpoint(transport: .l2cap, address: $0.description, port: psm)
            }
        }
    }

    func closeListener(_ id: UInt64? = nil) async { await listener.close(id)?.close() }

    /// Listens on a named adapter, once its address is known. What fails is tried again in a while.
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
        let use = links.use(peer)
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
}

/// A listener of a ``BlueZRadio``.
struct BlueZListener: Listener {
    let radio: BlueZRadio
    let id: UInt64

    func endpoints() async -> [Endpoint] { await radio.endpoints(ofListener: id) }

    func close() async { await radio.closeListener(id) }
}
