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
@dynamicMemberLookup final class RefusingRadio: RadioProxy {
    /// The faults that a test asks for.
    struct Faults {
        /// The number of coming dials to refuse.
        var refusals = 0
        /// The number of coming dials that lose a packet.
        var losses = 0
        /// The number of coming channels to close as soon as they are open.
        var hangUps = 0
        /// The number of coming channels that the peer closes without having read the sent bytes.
        var resets = 0
        /// The number of coming channels that deliver nothing after their first bytes.
        var silences = 0
        /// The number of bytes that a channel delivers before it falls silent.
        var bytesBeforeSilence = 0
        /// Whether the radio refuses advertisements.
        var advertisesNothing = false
    }

    private struct State {
        var faults = Faults()
        var dropped: [Endpoint] = []
        var dials: [ContinuousClock.Instant] = []
        var gate: Task<Void, Never>?
        var aired: [UInt8]?
    }

    let radio: any Radio
    private let state = Mutex(State())
    /// Whether advertisements are held back, and how many are waiting.
    private let held = Watched((isHeld: false, count: 0))

    init(_ radio: any Radio) { self.radio = radio }

    /// Reads and sets one of the faults.
    subscript<Value: Sendable>(dynamicMember fault: WritableKeyPath<Faults, Value>) -> Value {
        get { state.withLock { $0.faults[keyPath: fault] } }
        set { state.withLock { $0.faults[keyPath: fault] = newValue } }
    }

    /// Returns whether a fault is due, and counts it.
    private func isDue(_ fault: WritableKeyPath<Faults, Int>) -> Bool {
        state.withLock { state in
            guard state.faults[keyPath: fault] > 0 else { return false }
            state.faults[keyPath: fault] -= 1
            return true
        }
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
        state.withLock { $0.dials.append(.now) }
        if isDue(\.refusals) { throw TransportError(.unreachable, "no answer: move closer", cause: "ECONNREFUSED") }
        if isDue(\.losses) { throw TransportError(.missed, "no answer: move closer", cause: "ENOSYS") }
        let (isHungUp, isReset) = (isDue(\.hangUps), isDue(\.resets))
        let bytes = isDue(\.silences) ? self.bytesBeforeSilence : nil
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
        if self.advertisesNothing { throw TransportError(.radioUnavailable, "no room for an advertisement") }
        try await radio.advertise(payload)
        state.withLock { $0.aired = payload }
    }
}
