// SPDX-License-Identifier: Apache-2.0

public import BatonTransport
import Glibc
public import NIOCore
public import NIOPosix

/// Two channels that are joined by a pair of Unix sockets. Each channel reads the bytes that the
/// other writes.
public struct TwinLink: Sendable {
    /// The channel at one end of the pair of sockets.
    public let left: any Channel
    /// The channel at the other end of the pair of sockets.
    public let right: any Channel

    /// Creates two joined channels.
    ///
    /// - Parameters:
    ///   - group: The event loops of the channels.
    ///   - left: Prepares one end.
    ///   - right: Prepares the other end.
    /// - Throws: An error of the system or of an initializer.
    public static func make(
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        left: @escaping ChannelInitializer = { $0.eventLoop.makeSucceededVoidFuture() },
        right: @escaping ChannelInitializer = { $0.eventLoop.makeSucceededVoidFuture() }
    ) async throws -> TwinLink {
        var descriptors: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &descriptors) == 0 else {
            throw TransportError(.resourceExhausted, "cannot make a pair of sockets", cause: "errno \(errno)")
        }
        let leftChannel: any Channel
        do {
            leftChannel = try await adopt(descriptors[0], group, left)
        } catch {
            _ = Glibc.close(descriptors[1])
            throw error
        }
        do {
            return TwinLink(left: leftChannel, right: try await adopt(descriptors[1], group, right))
        } catch {
            try? await leftChannel.close()
            throw error
        }
    }

    /// Closes both ends.
    public func close() async {
        try? await left.close()
        try? await right.close()
    }

    private static func adopt(
        _ descriptor: Int32, _ group: any EventLoopGroup, _ initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        // If NIO cannot adopt the descriptor, it closes the descriptor.
        try await ClientBootstrap(group: group).channelInitializer(initializer)
            .withConnectedSocket(descriptor).get()
    }
}
