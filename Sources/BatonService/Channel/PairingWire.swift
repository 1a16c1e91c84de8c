// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Glibc
import NIOCore
import Synchronization

/// A channel on which two devices that do not know each other pair. It carries plain bytes both
/// ways.
final class PairingWire: Sendable {
    let channel: any Channel
    let transport: TransportKind
    /// Whether this device dialled the channel.
    let isDialled: Bool
    /// The bytes that arrive. The stream ends with the channel. A peer that sends too many bytes is
    /// cut off, because a pairing needs only few bytes.
    let incoming: AsyncStream<[UInt8]>
    /// The limit on the bytes of a peer: three times the size of a pairing's longest messages.
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

    /// Records that the channel has failed and will close. A reset does not count as a broken
    /// connection. The peer causes a reset when it closes the channel while bytes from this side
    /// wait there unread.
    func failed(_ error: any Error) {
        if let error = error as? IOError, [ECONNRESET, EPIPE].contains(error.errnoCode) { return }
        broke.store(true, ordering: .releasing)
    }

    func send(_ bytes: [UInt8]) { write(bytes) }

    /// Closes the channel after the bytes of earlier calls.
    func close() { channel.close(promise: nil) }
}

extension PairingWire: Equatable {
    static func == (one: PairingWire, other: PairingWire) -> Bool { one === other }
}

/// Decides whether a device that dials may pair instead of knocking.
///
/// Only one device may pair, and only while the user is pairing, because a pairing has one channel.
/// The limits for strangers apply to all other devices that dial.
final class PairingDoor: Sendable {
    private let taker = Mutex<(@Sendable (PairingWire) -> Void)?>(nil)

    /// Sets the function that takes the next channel. With nil, no channel is accepted.
    func set(_ taker: (@Sendable (PairingWire) -> Void)?) { self.taker.withLock { $0 = taker } }

    var isOpen: Bool { taker.withLock { $0 != nil } }

    /// Passes a channel on, and accepts no further channel. Returns false if no channel was
    /// accepted.
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

/// The dialling side of a pairing's channel. This handler drops the nonce with which the responder
/// would begin a knock.
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
