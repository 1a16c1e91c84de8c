// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import NIOSSL

@testable import BatonService

/// A bare channel to a device from a stranger, who is not a member of the circle. It records the
/// bytes that the stranger receives.
final class Stranger: Sendable {
    struct Seen: Sendable {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    let channel: any Channel
    private let seen: Watched<Seen>

    private init(channel: any Channel, seen: Watched<Seen>) {
        self.channel = channel
        self.seen = seen
    }

    static func dial(_ endpoint: Endpoint, over transport: any ChannelTransport) async throws -> Stranger {
        let seen = Watched(Seen())
        let channel = try await transport.connect(to: endpoint, timeout: .seconds(30)) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Handler(seen))
            }
        }
        return Stranger(channel: channel, seen: seen)
    }

    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Waits for the nonce, and answers it with a knock under a key.
    func knock(under key: PairwiseKey, over transport: TransportKind) async throws {
        let nonce = try await received(16)
        send(BatonServiceTests.knock(under: key, nonce: nonce, transport: transport, hello: clientHello()))
    }

    func close() async { try? await channel.close() }

    var isClosed: Bool { seen.value.isClosed }

    /// Waits until this many bytes have arrived or the channel has closed. Returns the received
    /// bytes.
    func received(_ count: Int) async throws -> [UInt8] {
        try await seen.wait("\(count) bytes for a stranger") { $0.bytes.count >= count || $0.isClosed ? $0.bytes : nil }
    }

    /// Waits until the channel has closed. Returns all received bytes.
    func receivedToEnd() async throws -> [UInt8] {
        try await seen.wait("the end for a stranger") { $0.isClosed ? $0.bytes : nil }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let seen: Watched<Seen>

        init(_ seen: Watched<Seen>) { self.seen = seen }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(unwrapInboundIn(data).readableBytesView)
            seen.change { $0.bytes += bytes }
        }

        func channelInactive(context: ChannelHandlerContext) { seen.change { $0.isClosed = true } }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// A device's endpoint, with the transport on which a stranger dials it.
struct Door: Sendable {
    let endpoint: Endpoint
    let transport: any ChannelTransport

    func dial() async throws -> Stranger { try await Stranger.dial(endpoint, over: transport) }
}

/// Returns bytes that look like a TLS record with a ClientHello.
func clientHello(ofSize size: Int = 200) -> [UInt8] {
    let (record, message) = (size - 5, size - 9)
    return [22, 3, 1, UInt8(record >> 8), UInt8(record & 0xFF), 1, 0, UInt8(message >> 8), UInt8(message & 0xFF)]
        + [UInt8](repeating: 7, count: message)
}

/// Returns a knock in the protocol's format, with any key.
func knock(under key: PairwiseKey, nonce: [UInt8], transport: TransportKind, hello: [UInt8]) -> [UInt8] {
    var initiator = KnockInitiator(key: key, transport: transport)
    var bytes: [UInt8] = []
    for action in initiator.received(nonce) + initiator.start(clientHello: hello) {
        if case .send(let sent) = action { bytes += sent }
    }
    return bytes
}
