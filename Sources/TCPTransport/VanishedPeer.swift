// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore

/// Decides when a silent peer counts as lost, because its laptop was closed or left the network.
///
/// The kernel's own limits are two hours for a silent connection, and a quarter of an hour for
/// unacknowledged bytes (tcp(7)). A stream that moves to the radio, or an app that waits for news,
/// should not wait that long.
enum VanishedPeer {
    /// The silence, in seconds, after which the kernel probes the peer.
    static let idle: Int = 10
    /// The time between two probes, in seconds.
    static let interval: Int = 5
    /// How long bytes or probes may stay unanswered, in milliseconds.
    static let timeout: Int = 20_000

    /// The socket options that set these times.
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
