// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore

/// The answer to TCP_INFO of Linux, up to the peer's window (`struct tcp_info` in linux/tcp.h).
///
/// glibc's `tcp_info` is only the beginning of it. A kernel older than 5.4 does not know the peer's
/// window, which is then 0.
struct TCPInfo: Sendable {
    /// The first 104 bytes.
    ///
    /// `tcpi_unacked` counts packets, and `tcpi_probes` counts the probes without an answer.
    /// `tcpi_last_ack_recv` is in milliseconds, and `tcpi_rtt` is in microseconds (tcp(7)).
    var basic = tcp_info()
    private var ratesAndBytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var segments: (UInt32, UInt32) = (0, 0)
    /// The number of bytes that the kernel has not sent yet (`tcpi_notsent_bytes`).
    var unsent: UInt32 = 0
    private var leastRoundTrip: UInt32 = 0
    private var dataSegments: (UInt32, UInt32) = (0, 0)
    private var deliveryRate: UInt64 = 0
    private var times: (UInt64, UInt64, UInt64) = (0, 0, 0)
    private var delivered: (UInt32, UInt32) = (0, 0)
    private var sentBytes: (UInt64, UInt64) = (0, 0)
    private var disorder: (UInt32, UInt32, UInt32) = (0, 0, 0)
    /// The free space in the peer's receive buffer, in bytes (`tcpi_snd_wnd`).
    var peerWindow: UInt32 = 0

    /// Asks the kernel. The future fails if the connection is closed.
    static func of(_ connection: any SocketOptionProvider) -> EventLoopFuture<TCPInfo> {
        connection.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
    }
}
