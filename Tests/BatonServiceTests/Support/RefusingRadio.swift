// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Glibc
import NIOCore
import SimulatedTransport
import Synchronization

/// The simulated radio, whose dials can be refused at once, as by a kernel, or closed, as by a busy
/// peer.
final class RefusingRadio: RadioProxy {
    private struct State {
        var refusals = 0
        var losses = 0
        var hangUps = 0
        var resets = 0
        var silences = 0
        var bytesBeforeSilence = 0
        var dropped: [Endpoint] = []
        var dials: [ContinuousClock.Instant] = []
        var advertisesNothing = false
        var gate: Task<Void, Never>?
        var aired: [UInt8]?
    }

    let radio: any Radio
    private let state = Mutex(State())
    /// Whether advertisements are held back, and how many are waiting.
    private let held = Watched((isHeld: false, count: 0))

    init(_ radio: any Radio) { self.radio = radio }

    /// The number of coming dials to refuse.
    var refusals: Int {
        get { state.withLock(\.refusals) }
        set { state.withLock { $0.refusals = newValue } }
    }

    /// The number of coming dials that lose a packet.
    var losses: Int {
        get { state.withLock(\.losses) }
        set { state.withLock { $0.losses = newValue } }
    }

    /// The number of coming channels to close as soon as they are open.
    var hangUps: Int {
        get { state.withLock(\.hangUps) }
        set { state.withLock { $0.hangUps = newValue } }
    }

    /// The number of coming channels that the peer closes without having read the sent bytes.
    var resets: Int {
        get { state.withLock(\.resets) }
        set { state.withLock { $0.resets = newValue } }
    }

    /// The number of coming channels that deliver nothing after their first bytes.
    var silences: Int {
        get { state.withLock(\.silences) }
        set { state.withLock { $0.silences = newValue } }
    }

    /// The number of bytes that a channel delivers before it falls silent.
    var bytesBeforeSilence: Int {
        get { state.withLock(\.bytesBeforeSilence) }
        set { state.withLock { $0.bytesBeforeSilence = newValue } }
    }

    /// Whether the radio refuses advertisements.
    var advertisesNothing: Bool {
        get { state.withLock(\.advertisesNothing) }
        set { state.withLock { $0.advertisesNothing = newValue } }
    }

    /// Holds advertisements back from now on, or lets them continue.
    func holdAdvertisements(_ isHeld: Bool) { held.change { $0.isHeld = isHeld } }

    /// Makes only the next advertisement wait for a task.
    func holdNextAdvertisement(until gate: Task<Void, Never>) { state.withLock { $0.gate = gate } }

    /// The payload that is on the air.
    var aired: [UInt8]? { state.withLock(\.aired) }

    /// Waits until an advertisement is being held back.
    func advertisementWaits() async throws { try await held.wait("an advertisement") { $0.count > 0 ? () : nil } }

    /// The times of the dials.
    var dials: [ContinuousClock.Instant] { state.withLock(\.dials) }

    /// The links that the service dropped.
    var dropped: [Endpoint] { state.withLock(\.dropped) }

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
        let isLost = state.withLock { state in
            guard state.losses > 0 else { return false }
            state.losses -= 1
            return true
        }
        if isLost { throw TransportError(.missed, "no answer: move closer", cause: "ENOSYS") }
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
        let bytes = state.withLock { state -> Int? in
            guard state.silences > 0 else { return nil }
            state.silences -= 1
            return state.bytesBeforeSilence
        }
        let channel = try await radio.connect(to: endpoint, timeout: timeout) { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                if let bytes { try pipeline.addHandler(Silencer(after: bytes)) }
                if isReset { try pipeline.addHandler(Resetter()) }
            }.flatMap { initializer(channel) }
        }
        if isHungUp { channel.close(promise: nil) }
        return channel
    }

    /// Ends a channel instead of passing on the first bytes.
    private final class Resetter: ChannelInboundHandler, Sendable {
        typealias InboundIn = Any

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
            context.close(promise: nil)
        }
    }

    /// Passes a number of bytes on, and then none.
    private final class Silencer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private var left: Int

        init(after count: Int) { left = count }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            let passed = bytes.readSlice(length: min(left, bytes.readableBytes)) ?? ByteBuffer()
            left -= passed.readableBytes
            if passed.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(passed)) }
        }
    }

    func disconnect(_ endpoint: Endpoint) async {
        state.withLock { $0.dropped.append(endpoint) }
        await radio.disconnect(endpoint)
    }

    func advertise(_ payload: [UInt8]?) async throws {
        let gate = state.withLock { state in
            defer { state.gate = nil }
            return state.gate
        }
        if let gate {
            held.change { $0.count += 1 }
            await gate.value
        }
        held.change { if $0.isHeld { $0.count += 1 } }
        try await held.wait("the end of the hold") { $0.isHeld ? nil : () }
        if advertisesNothing { throw TransportError(.radioUnavailable, "no room for an advertisement") }
        try await radio.advertise(payload)
        state.withLock { $0.aired = payload }
    }
}
