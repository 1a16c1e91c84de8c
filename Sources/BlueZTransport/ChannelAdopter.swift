// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Glibc
internal import L2CAP
internal import NIOCore
internal import NIOPosix
internal import Threads

/// Turns the kernel's descriptors into NIO channels.
struct ChannelAdopter: Sendable {
    let group: any EventLoopGroup
    let traffic: ChannelTraffic
    /// The sizes of the channel's kernel buffers, in bytes.
    ///
    /// The buffers hold several SDUs, so that a short pause of the event loop does not delay data.
    /// The buffers are small enough that new data is soon on the air.
    static let bufferSizes = (send: 32_768, receive: 131_072)
    /// The size of each buffer between NIO and the relay, in bytes.
    static let relaySize = 16_384

    /// Turns a connected descriptor into an NIO channel and takes ownership of the descriptor.
    ///
    /// - Throws: ``TransportError``, or the initializer's error.
    func adopt(
        _ descriptor: CInt, isAccepted: Bool, onBrokenLink: @escaping @Sendable () -> Void,
        initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        let outcome = SDURelay.Outcome()
        let gauge = SendGauge()
        let own = try relay(descriptor, outcome, gauge)
        return try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handlers = channel.pipeline.syncOperations
                    try handlers.addHandler(RelayedChannelHandler(outcome, gauge, onBrokenLink: onBrokenLink))
                    if isAccepted { try handlers.addHandler(OpeningByte.Dropper()) }
                }.flatMap { initializer(channel) }
            }
            .withConnectedSocket(own).get()
    }

    /// Starts a relay for a channel.
    ///
    /// - Returns: The socket at the relay's other end.
    private func relay(
        _ channel: CInt, _ outcome: SDURelay.Outcome, _ gauge: SendGauge
    ) throws(TransportError) -> CInt {
        var ends: [CInt] = []
        do {
            let (sendMTU, receiveMTU) = (
                try L2CAPSocket.sendMTU(of: channel), try L2CAPSocket.receiveMTU(of: channel)
            )
            try L2CAPSocket.setBufferSizes(
                of: channel, send: Self.bufferSizes.send, receive: Self.bufferSizes.receive)
            ends = try Self.pair()
            for end in ends {
                try L2CAPSocket.setBufferSizes(of: end, send: Self.relaySize, receive: Self.relaySize)
            }
            let near = ends[0]
            try OwnThread.start { [traffic] in
                var relay = SDURelay(
                    channel: channel, socket: near, sendMTU: sendMTU, receiveMTU: receiveMTU, outcome: outcome,
                    traffic: traffic, gauge: gauge)
                relay.run()
            }
            return ends[1]
        } catch {
            for end in ends { L2CAPSocket.close(end) }
            ChannelCloser.close(channel)
            throw (error as? L2CAPError).map { TransportError($0) }
                ?? TransportError(.resourceExhausted, "no thread is left: close other channels first")
        }
    }

    private static func pair() throws(L2CAPError) -> [CInt] {
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw L2CAPError(errno: errno, "carry a channel") }
        return ends
    }
}
