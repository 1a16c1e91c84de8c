// SPDX-License-Identifier: Apache-2.0

internal import BatonTransport
internal import Glibc

extension ChannelDelivery {
    /// The shortest time that a connection may be silent before it counts as stalled.
    ///
    /// The kernel repeats an unacknowledged packet after 200 ms, and then after twice as long each
    /// time. So a single lost packet does not count as a stall.
    static let tcpPatience = Duration.seconds(1)
    /// How long a connection may be silent while the peer's buffer is full.
    ///
    /// This is the longest pause between two of the kernel's probes (TCP_RTO_MAX).
    static let fullPatience = Duration.seconds(120)

    /// Creates a report from the kernel's information about a connection.
    ///
    /// If this machine has no route or no carrier any more, the kernel sends nothing, so nothing is
    /// unacknowledged, but bytes are unsent. Bytes are also unsent while the peer's buffer is full.
    /// That does not count as a stall as long as the peer answers the kernel's probes one by one.
    init(_ info: TCPInfo) {
        let basic = info.basic
        let isFull = info.peerWindow < basic.tcpi_snd_mss && basic.tcpi_unacked == 0 && basic.tcpi_probes < 2
        self.init(
            isWaiting: basic.tcpi_unacked > 0 || info.unsent > 0,
            silence: .milliseconds(basic.tcpi_last_ack_recv),
            patience: isFull ? Self.fullPatience : max(Self.tcpPatience, .microseconds(basic.tcpi_rtt) * 4))
    }
}
