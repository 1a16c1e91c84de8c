// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Glibc
import NIOCore
import SimulatedTransport
import Synchronization

/// The simulated radio, some of whose dials are refused at once, as a kernel refuses for reasons of
/// the moment, or hung up on, as a busy peer does.
final class RefusingRadio: Radio {
    private struct State {
        var refusals = 0
        var hangUps = 0
        var resets = 0
        var silences = 0
        var dropped: [Endpoint] = []
        var dials: [ContinuousClock.Instant] = []
        var advertisesNothing = false
    }

    private let radio: SimulatedRadio
    private let state = Mutex(State())

    init(_ radio: SimulatedRadio) { self.radio = radio }

    /// How many of the dials to come are refused.
    var refusals: Int {
        get { state.withLock(\.refusals) }
        set { state.withLock { $0.refusals = newValue } }
    }

    /// How many of the channels to come are closed as soon as they are open.
    var hangUps: Int {
        get { state.withLock(\.hangUps) }
        set { state.withLock { $0.hangUps = newValue } }
    }

    /// How many of the channels to come are closed by a peer that has not read what was written.
    var resets: Int {
        get { state.withLock(\.resets) }
        set { state.withLock { $0.resets = newValue } }
    }

    /// How many of the channels to come bring nothing.
    var silences: Int {
        get { state.withLock(\.silences) }
        set { state.withLock { $0.silences = newValue } }
    }

    /// Whether advertisements are refused.
    var advertisesNothing: Bool {
        get { state.withLock(\.advertisesNothing) }
        set { state.withLock { $0.advertisesNothing = newValue } }
    }

    /// When it was dialled.
    var dials: [ContinuousClock.Instant] { state.withLock(\.dials) }

    /// The links that were dropped.
    var dropped: [Endpoint] { state.withLock(\.dropped) }

    var kind: TransportKind { radio.kind }

    func connect(
        to endpoint: Endpoint, timeout: Duration, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        let isRefused = state.withLock { state in
            state.dials.append(.now)
            guard state.refusals > 0 else { return false }
            state.refusals -= 1
            return true
        }
        if isRefused { throw TransportError(.unreachable, "no answer: move closer", cause: "ECONNREFUSED") }
        let isHungUp = state.withLock { state in
            guard state.hangUps > 0 else { return false }
            state.hangUps -= 1
            return true
        }
        let isReset = state.withLock { state in
            guard state.resets > 0 else { return false }
            state.resets -= 1
            return true
        }
        let isSilent = state.withLock { state in
            guard state.silences > 0 else { return false }
            state.silences -= 1
            return true
        }
        let channel = try await radio.connect(to: endpoint, timeout: timeout) { channel in
            if isSilent { return channel.pipeline.addHandler(Silencer()).flatMap { initializer(channel) } }
            guard isReset else { return initializer(channel) }
            return channel.pipeline.addHandler(Resetter()).flatMap { initializer(channel) }
        }
        if isHungUp { channel.close(promise: nil) }
        return channel
    }

    /// Ends a channel instead of passing on the first bytes that come.
    private final class Resetter: ChannelInboundHandler, Sendable {
        typealias InboundIn = Any

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
            context.close(promise: nil)
        }
    }

    /// Passes nothing on.
    private final class Silencer: ChannelInboundHandler, Sendable {
        typealias InboundIn = Any

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
    }

    func disconnect(_ endpoint: Endpoint) async {
        state.withLock { $0.dropped.append(endpoint) }
        await radio.disconnect(endpoint)
    }

    func events() -> AsyncStream<RadioEvent> { radio.events() }
    func advertise(_ payload: [UInt8]?) async throws {
        if advertisesNothing { throw TransportError(.radioUnavailable, "no room for an advertisement") }
        try await radio.advertise(payload)
    }

    func start() async throws { try await radio.start() }
    func stop() async { await radio.stop() }

    func listen(initializer: @escaping AcceptedChannelInitializer) async throws -> any Listener {
        try await radio.listen(initializer: initializer)
    }
}
