// SPDX-License-Identifier: Apache-2.0

internal import BatonTransport
internal import Glibc

extension ChannelDelivery {
    /// The shortest time that a connection may be silent before it counts as stalled.
    ///
    /// The kernel repeats an unacknowledged packet after 200 ms, and then after twice as long each
    /// time. So a single lost packet is no stall.
    static let tcpPatience = Duration.seconds(1)

    /// Creates a report from what the kernel knows of a connection.
    ///
    /// If this machine has no route any more, it sends nothing, so nothing is unacknowledged. The
    /// kernel then sends probes, as it does while the peer's buffer is full. A full buffer is no
    /// stall, and its probes are answered one by one.
    ///
    /// - Parameter info: `tcpi_unacked` counts packets, `tcpi_probes` counts probes without an
    ///   answer, and `tcpi_backoff` is not 0 while the kernel probes. `tcpi_last_ack_recv` is in
    ///   milliseconds, and `tcpi_rtt` is in microseconds (tcp(7)).
    init(_ info: tcp_info) {
        let isUnanswered = info.tcpi_unacked > 0 || info.tcpi_probes > 1
        self.init(
            isWaiting: isUnanswered || info.tcpi_backoff > 0,
            silence: isUnanswered ? .milliseconds(info.tcpi_last_ack_recv) : .zero,
            patience: max(Self.tcpPatience, .microseconds(info.tcpi_rtt) * 4))
    }
}
