// SPDX-License-Identifier: Apache-2.0

public import BatonTransport
import Glibc
public import NIOCore
import NIOPosix

/// A channel with another radio.
struct Link {
    var peer: String
    var channel: any Channel
    var delay: ChannelDelay
}

extension SimulatedRadio {
    /// The maximum number of channels that one radio holds at a time.
    static let maximumLinks = 256

    /// Dials a radio that is in range, and that advertises or already has a channel with this
    /// radio.
    ///
    /// The channel is active before the initializer runs. `channelActive` fires after the
    /// initializer.
    ///
    /// - Throws: `TransportError`, with `.invalidArgument` for an endpoint that no radio can have,
    ///   or with `.unreachable` if no radio accepts the channel. Also `CancellationError`, and the
    ///   initializer's error.
    public func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        guard endpoint.transport == .simulated, SocketDirectory.isValid(endpoint.address), endpoint.address != address,
            (0x80...0xFF).contains(endpoint.port)
        else { throw TransportError(.invalidArgument, "not a simulated radio's address and a PSM of 0x80 to 0xFF") }
        guard phase == .running else { throw TransportError(.radioUnavailable, "the simulated radio is not started") }
        refreshConditions()
        let peer = endpoint.address
        guard conditionsFile.conditions.canConnect(address, peer) else {
            throw TransportError(.unreachable, "\(peer) is out of range")
        }
        nextDial &+= 1
        // The name of the dialling socket tells the other radio who dials. After the connection the
        // file is not needed.
        let dialPath = place.dialPath(address, number: nextDial)
        defer { unlink(dialPath) }
        let own = try SocketAddress(unixDomainSocketPath: dialPath)
        let target = place.channelPath(peer, psm: endpoint.port)
        let delay = ChannelDelay()
        let eventLoop = group.next()
        let channel = try await dial(
            endpoint.description, timeout: timeout, on: eventLoop,
            initializer: { $0.eventLoop.makeSucceededVoidFuture() }
        ) { adopt in
            let welcome = eventLoop.makePromise(of: Void.self)
            let connecting = ClientBootstrap(group: eventLoop)
                .connectTimeout(TimeAmount(timeout))
                .bind(to: own)
                .channelOption(.autoRead, value: false)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1))
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelInitializer { channel in
                    adopt(channel).flatMapThrowing {
                        try channel.pipeline.syncOperations.addHandler(WelcomedHandler(promise: welcome))
                    }
                }
                .connect(unixDomainSocketPath: target)
            connecting.whenFailure { welcome.fail($0) }
            return welcome.futureResult.and(connecting).flatMap { _, channel in
                Self.begin(channel, delay: delay, initializer: initializer)
            }
        }
        register(Link(peer: peer, channel: channel, delay: delay))
        return channel
    }

    /// Accepts channels while the radio advertises, on a PSM of 0x80 to 0xFF.
    ///
    /// - Throws: `TransportError`, with `.resourceExhausted` if the radio already listens, or with
    ///   `.radioUnavailable` if it is not started.
    public func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        guard phase == .running else { throw TransportError(.radioUnavailable, "the simulated radio is not started") }
        guard listener == nil else { throw TransportError(.resourceExhausted, "this radio listens already") }
        let psm = nextPSM
        // Each listener gets a new PSM, so that a dial to an old PSM fails.
        nextPSM = psm == 0xFF ? 0x80 : psm + 1
        let path = place.channelPath(address, psm: psm)
        let opening = SimulatedListener(
            endpoint: Endpoint(transport: .simulated, address: address, port: psm), path: path)
        listener = opening
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 128)
                .childChannelInitializer { [weak self] channel in
                    guard let self else { return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
                    return self.accept(channel, initializer: initializer)
                }
                .bind(unixDomainSocketPath: path).get()
            guard phase == .running else {
                try? await channel.close()
                throw TransportError(.radioUnavailable, "the simulated radio was stopped")
            }
            await opening.open(channel) { [weak self] in await self?.forget(opening) }
            return opening
        } catch {
            listener = nil
            throw TransportError.translating(error, "cannot listen at \(path)")
        }
    }

    /// Sets a channel's delay, or closes the channel if the peer is out of range.
    func adjust(_ link: Link) {
        let conditions = conditionsFile.conditions
        guard conditions.canConnect(address, link.peer) else { return link.channel.close(promise: nil) }
        link.delay.milliseconds = conditions.reach(from: address, to: link.peer).channelDelay
    }

    private func forget(_ closed: SimulatedListener) {
        if listener === closed { listener = nil }
    }

    private func register(_ link: Link) {
        let id = ObjectIdentifier(link.channel)
        links[id] = link
        adjust(link)
        link.channel.closeFuture.whenComplete { [weak self] _ in
            Task { [weak self] in await self?.unregister(id) }
        }
    }

    private func unregister(_ id: ObjectIdentifier) { links[id] = nil }

    private nonisolated func accept(
        _ channel: any Channel, initializer: @escaping AcceptedChannelInitializer
    ) -> EventLoopFuture<Void> {
        let delay = ChannelDelay()
        let name = channel.remoteAddress?.pathname?.split(separator: "/").last.map(String.init)
        let peer = name.flatMap { SocketDirectory.address(inName: $0, suffix: nil) }
        return channel.eventLoop.makeFutureWithTask {
            try await self.admit(peer, channel, delay)
        }.flatMapThrowing { peer in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(DelayHandler(delay: delay))
            try pipeline.addHandler(WelcomingHandler())
            return Endpoint(transport: .simulated, address: peer, port: 0)
        }.flatMap { initializer(channel, $0) }
    }

    /// Accepts a dialling radio if a real radio could connect under these conditions.
    private func admit(_ peer: String?, _ channel: any Channel, _ delay: ChannelDelay) throws -> String {
        guard phase == .running, let peer, peer != address, links.count < Self.maximumLinks else {
            throw TransportError(.unreachable, "a dial without a radio's name, or one too many")
        }
        refreshConditions()
        let isConnectable = payload != nil || links.values.contains { $0.peer == peer }
        guard isConnectable, conditionsFile.conditions.canConnect(address, peer) else {
            throw TransportError(.unreachable, "a dial from \(peer), which does not reach this radio")
        }
        register(Link(peer: peer, channel: channel, delay: delay))
        return peer
    }

    /// Runs the caller's initializer on an accepted channel, and then lets the channel read.
    private static func begin(
        _ channel: any Channel, delay: ChannelDelay, initializer: @escaping ChannelInitializer
    ) -> EventLoopFuture<any Channel> {
        channel.pipeline.handler(type: WelcomedHandler.self).map { NIOLoopBound($0, eventLoop: channel.eventLoop) }
            .flatMap { channel.pipeline.syncOperations.removeHandler($0.value) }
            .flatMapThrowing { try channel.pipeline.syncOperations.addHandler(DelayHandler(delay: delay)) }
            .flatMap { initializer(channel) }
            .flatMap { channel.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator()) }
            .flatMap { channel.setOption(.maxMessagesPerRead, value: 4) }
            .map { channel.pipeline.fireChannelActive() }
            .flatMap { channel.setOption(.autoRead, value: true) }
            .map { channel }
            .flatMapError { error in
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(error)
            }
    }
}

/// The open PSM of a ``SimulatedRadio``.
actor SimulatedListener: Listener {
    private let endpoint: Endpoint
    private let path: String
    private var channel: (any Channel)?
    private var onClose: @Sendable () async -> Void = {}

    init(endpoint: Endpoint, path: String) {
        self.endpoint = endpoint
        self.path = path
    }

    func open(_ channel: any Channel, onClose: @escaping @Sendable () async -> Void) {
        self.channel = channel
        self.onClose = onClose
    }

    func endpoints() -> [Endpoint] { channel == nil ? [] : [endpoint] }

    func close() async {
        guard let channel else { return }
        self.channel = nil
        unlink(path)
        try? await channel.close()
        await onClose()
    }
}
