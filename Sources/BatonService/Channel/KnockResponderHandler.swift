// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore

/// Handles the accepting side's knock, before TLS begins on the channel. A stranger sees 16 random
/// bytes and the end of the channel, whatever it sends.
final class KnockResponderHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var knock: KnockResponder
    private var guardian = ServerHelloGuard()
    private let keyring: Keyring
    private let connectionLimiter: ConnectionLimiter
    private let proved: (PeerCredential) -> Void
    private var isProved = false
    private let pairing: PairingDoor
    private let pairs: () -> Void
    private let transport: TransportKind
    /// The first bytes, until it is decided whether they belong to a pairing; nil afterwards.
    private var opening: [UInt8]? = []
    private var wire: PairingWire?

    /// Makes the handler of one accepted channel.
    ///
    /// - Parameters:
    ///   - pairing: The decision whether a channel may pair instead of knocking.
    ///   - pairs: Called when this channel pairs.
    ///   - proved: Called with the credential of the proved knock, before TLS sees its first byte.
    init(
        transport: TransportKind, keyring: Keyring, connectionLimiter: ConnectionLimiter, pairing: PairingDoor,
        pairs: @escaping () -> Void, proved: @escaping (PeerCredential) -> Void
    ) {
        knock = KnockResponder(transport: transport)
        self.transport = transport
        self.pairing = pairing
        self.pairs = pairs
        self.keyring = keyring
        self.connectionLimiter = connectionLimiter
        self.proved = proved
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { perform(knock.start(), context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        perform(knock.start(), context)
        context.fireChannelActive()
    }

    /// Releases ``wire``, which carries a pairing. The wire writes through this handler's context,
    /// and a context keeps its handler even after the channel has closed.
    func handlerRemoved(context: ChannelHandlerContext) {
        wire = nil
        opening = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isProved else { return context.fireChannelRead(data) }
        var bytes = Array(unwrapInboundIn(data).readableBytesView)
        if let wire { return wire.received(bytes) }
        if let begun = opening {
            bytes = begun + bytes
            opening = nil
            switch pairing.isOpen ? PairingMachine.isOpening(bytes) : false {
            case true: return pair(bytes, context)
            case nil:
                opening = bytes
                return
            case false: break
            }
        }
        let actions = knock.received(bytes) {
            connectionLimiter.mayTry(context.channel) ? keyring.candidates : []
        }
        perform(actions, context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch guardian.inspect(unwrapOutboundIn(data).readableBytesView) {
        case .undecided, .passed: context.write(data, promise: promise)
        case .helloRetryRequest, .malformed:
            promise?.fail(ChannelFailure.handshake("the other side offers no X25519 key share"))
            context.close(promise: nil)
        }
    }

    /// Hands the channel to the user's pairing. The pairing uses no TLS, and the time limit for
    /// knocks no longer applies.
    private func pair(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let wire = PairingWire(channel: context.channel, transport: transport, isDialled: false) { bytes in
            bound.eventLoop.execute {
                bound.value.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            }
        }
        guard pairing.take(wire) else { return context.close(promise: nil) }
        pairs()
        connectionLimiter.released(context.channel)
        self.wire = wire
        wire.received(bytes)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        wire?.failed(error)
        context.fireErrorCaught(error)
    }

    private func perform(_ actions: [KnockResponder.Action], _ context: ChannelHandlerContext) {
        for action in actions {
            switch action {
            case .send(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .proved(let id, let answer, let tls):
                guard let credential = keyring.credential(id) else { return context.close(promise: nil) }
                isProved = true
                connectionLimiter.proved(context.channel)
                proved(credential)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
                context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: tls)))
            case .tls(let bytes):
                context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: bytes)))
            case .closeSilently(let failure):
                connectionLimiter.refused(context.channel)
                context.fireErrorCaught(failure)
                context.close(promise: nil)
            }
        }
    }
}
