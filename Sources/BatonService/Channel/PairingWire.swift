// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Glibc
import NIOCore
import Synchronization

/// A channel on which two devices that know nothing of each other pair: plain bytes both ways.
final class PairingWire: Sendable {
    let channel: any Channel
    let transport: TransportKind
    /// Who dialled it.
    let isDialled: Bool
    /// What comes in; ends with the channel. Pairing takes few bytes: a peer that sends more is
    /// closed.
    let incoming: AsyncStream<[UInt8]>
    /// How many bytes a peer may send in all: three times what the longest messages of a pairing
    /// come to.
    static let maximumBytes = 4_096
    private let receivedCount = Atomic(0)
    private let broke = Atomic(false)
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let write: @Sendable ([UInt8]) -> Void

    init(
        channel: any Channel, transport: TransportKind, isDialled: Bool, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.channel = channel
        self.transport = transport
        self.isDialled = isDialled
        self.write = write
        (incoming, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(64))
        channel.closeFuture.whenComplete { [continuation] _ in continuation.finish() }
    }

    func received(_ bytes: [UInt8]) {
        let count = receivedCount.wrappingAdd(bytes.count, ordering: .relaxed).newValue
        guard count <= Self.maximumBytes, case .enqueued = continuation.yield(bytes) else {
            return channel.close(promise: nil)
        }
    }

    /// Whether the channel ended because its connection broke.
    var isBroken: Bool { broke.load(ordering: .acquiring) }

    /// Tells that the channel has failed and will close. A peer that closes it while bytes of this
    /// side wait there resets the connection: that does not say that it broke.
    func failed(_ error: any Error) {
        if let error = error as? IOError, [ECONNRESET, EPIPE].contains(error.errnoCode) { return }
        broke.store(true, ordering: .releasing)
    }

    func send(_ bytes: [UInt8]) { write(bytes) }

    /// Sends what was sent before, then closes.
    func close() { channel.close(promise: nil) }
}

extension PairingWire: Equatable {
    static func == (one: PairingWire, other: PairingWire) -> Bool { one === other }
}

/// Whether somebody who dials may pair instead of knocking: only while the user does, and one only,
/// for a pairing has one channel. Whoever comes later is a stranger like any other, under a
/// stranger's limits.
final class PairingDoor: Sendable {
    private let taker = Mutex<(@Sendable (PairingWire) -> Void)?>(nil)

    /// Opens the door, or closes it with nil.
    func set(_ taker: (@Sendable (PairingWire) -> Void)?) { self.taker.withLock { $0 = taker } }

    var isOpen: Bool { taker.withLock { $0 != nil } }

    /// Hands a channel on, and closes the door; false when it was closed.
    func take(_ wire: PairingWire) -> Bool {
        let taker = taker.withLock { taker in
            defer { taker = nil }
            return taker
        }
        guard let taker else { return false }
        taker(wire)
        return true
    }
}

/// The dialling side of a pairing's channel: drops the nonce with which the responder would begin a
/// knock.
final class PairingInitiatorHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let wire: PairingWire
    private var toDrop = KnockNonce.byteCount

    init(wire: PairingWire) { self.wire = wire }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        let dropped = min(toDrop, bytes.readableBytes)
        bytes.moveReaderIndex(forwardBy: dropped)
        toDrop -= dropped
        if bytes.readableBytes > 0 { wire.received(Array(bytes.readableBytesView)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        wire.failed(error)
        context.close(promise: nil)
    }
}
