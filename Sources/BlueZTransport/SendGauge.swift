// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Synchronization

/// The record of whether a channel's kernel socket takes the bytes that ``SDURelay`` has for it.
final class SendGauge: Sendable {
    /// How long the socket may take nothing before the channel counts as stalled.
    ///
    /// A radio link that retransmits packets sometimes takes nothing for a second.
    static let patience = Duration.seconds(2)

    private struct State {
        var isWaiting = false
        var last = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// Records a turn of the relay.
    ///
    /// - Parameters:
    ///   - hasTaken: Whether the socket has taken bytes.
    ///   - isWaiting: Whether bytes wait that the socket does not take.
    func turned(hasTaken: Bool, isWaiting: Bool) {
        state.withLock { state in
            if hasTaken || !state.isWaiting { state.last = .now }
            state.isWaiting = isWaiting
        }
    }

    /// The report on whether bytes wait for the socket, and how long the socket has taken none.
    var delivery: ChannelDelivery {
        state.withLock {
            ChannelDelivery(isWaiting: $0.isWaiting, silence: $0.last.duration(to: .now), patience: Self.patience)
        }
    }
}
