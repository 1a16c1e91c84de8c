// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import NIOCore

/// Sends the dialling side's knock, before TLS begins on the channel. The knock contains TLS's
/// ClientHello. Nothing is passed to TLS until the responder's answer is verified.
final class KnockInitiatorHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var knock: KnockInitiator
    private var guardian = ServerHelloGuard()
    private var isProved = false
    private var clientHello = ByteBuffer()
    private var hasStarted = false
    private var timer: Scheduled<Void>?

    /// The limit on the time from the opening of the channel to the proved knock. The responder
    /// gives up after 3 s, so no answer is expected later.
    static let timeout = TimeAmount.seconds(6)

    init(key: PairwiseKey, transport: TransportKind) {
        knock = KnockInitiator(key: key, transport: transport)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { limitTime(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        limitTime(context)
        context.fireChannelActive()
    }

    private func limitTime(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.value.eventLoop.assumeIsolated().scheduleTask(in: Self.timeout) {
            context.value.fireErrorCaught(ChannelFailure.timedOut)
            context.value.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isProved else { return context.write(data, promise: promise) }
        var bytes = unwrapOutboundIn(data)
        clientHello.writeBuffer(&bytes)
        promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
        guard !isProved else { return context.flush() }
        guard !hasStarted, clientHello.readableBytes > 0 else { return }
        hasStarted = true
        let bytes = Array(clientHello.readableBytesView)
        clientHello = ByteBuffer()
        perform(knock.start(clientHello: bytes), context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        // Stream data passes through this handler, so bytes for TLS are not copied.
        guard !isProved else { return forward(bytes, context) }
        perform(knock.received(Array(bytes.readableBytesView)), context)
    }

    private func perform(_ actions: [KnockInitiator.Action], _ context: ChannelHandlerContext) {
        for action in actions {
            switch action {
            case .send(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            case .proved(let bytes):
                isProved = true
                timer?.cancel()
                forward(ByteBuffer(bytes: bytes), context)
            case .close(let failure):
                context.fireErrorCaught(failure)
                context.close(promise: nil)
            }
        }
    }

    private func forward(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        switch guardian.inspect(bytes.readableBytesView) {
        case .undecided, .passed:
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        case .helloRetryRequest, .malformed:
            context.fireErrorCaught(ChannelFailure.handshake("the other side wants another ClientHello"))
            context.close(promise: nil)
        }
    }
}
