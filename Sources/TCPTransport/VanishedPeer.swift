// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore

/// When a peer that says nothing any more is gone: its laptop was closed, or has left the network.
///
/// The kernel's own limits are two hours for a silent connection and a quarter of an hour for bytes
/// that nobody acknowledges (tcp(7)). A stream that moves to the radio, or an app that is told,
/// should not wait for that.
enum VanishedPeer {
    /// Silence after which the kernel asks whether the peer is there, in seconds.
    static let idle: Int = 10
    /// Between two such questions, in seconds.
    static let interval: Int = 5
    /// How long bytes or questions may stay unanswered, in milliseconds.
    static let timeout: Int = 20_000

    /// The socket options that say so.
    static var options: [(option: ChannelOptions.Types.SocketOption, value: Int)] {
        [
            (.init(level: .socket, name: .so_keepalive), 1),
            (tcp(TCP_KEEPIDLE), idle),
            (tcp(TCP_KEEPINTVL), interval),
            (tcp(TCP_USER_TIMEOUT), timeout),
        ]
    }

    private static func tcp(_ name: CInt) -> ChannelOptions.Types.SocketOption {
        .init(level: .tcp, name: .init(rawValue: name))
    }
}
