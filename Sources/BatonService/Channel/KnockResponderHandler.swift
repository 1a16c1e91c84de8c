// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore

/// The accepting side's knock, between the channel and TLS: a stranger sees 16 random bytes and an end, whatever it sends.
final class KnockResponderHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var knock: KnockResponder
    private var guardian = ServerHelloGuard()
    private let keyring: Keyring
    private let doorkeeper: Doorkeeper
    private let proved: (PeerCredential) -> Void
    private var isProved = false

    /// - Parameter proved: told whose knock it was, before TLS sees its first byte.
    init(
        transport: TransportKind, keyring: Keyring, doorkeeper: Doorkeeper, proved: @escaping (PeerCredential) -> Void
    ) {
        knock = KnockResponder(transport: transport)
        self.keyring = keyring
        self.doorkeeper = doorkeeper
        self.proved = proved
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { perform(knock.start(), context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        perform(knock.start(), context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isProved else { return context.fireChannelRead(data) }
        let actions = knock.received(Array(unwrapInboundIn(data).readableBytesView)) {
            doorkeeper.mayTry(context.channel) ? keyring.candidates : []
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

    private func perform(_ actions: [KnockResponder.Action], _ context: ChannelHandlerContext) {
        for action in actions {
            switch action {
            case .send(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .proved(let id, let answer, let tls):
                guard let credential = keyring.credential(id) else { return context.close(promise: nil) }
                isProved = true
                doorkeeper.proved(context.channel)
                proved(credential)
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
                context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: tls)))
            case .tls(let bytes):
                context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: bytes)))
            case .closeSilently(let failure):
                context.fireErrorCaught(failure)
                context.close(promise: nil)
            }
        }
    }
}
