// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Synchronization

/// Measures whether a radio's channels carry so much data that scanning would slow them down.
final class ChannelTraffic: Sendable {
    /// The number of bytes on all channels within ``interval`` that counts as traffic. A hello is
    /// smaller.
    static let threshold = 4_096
    static let interval = Duration.seconds(1)
    /// How long traffic continues to count after its last bytes.
    static let linger = Duration.seconds(2)

    private struct State {
        var began = Duration.zero
        var bytes = 0
        var end: Duration?
        var tell: @Sendable () -> Void = {}
    }

    private let clock: any DeviceClock
    private let state = Mutex(State())

    init(clock: any DeviceClock) { self.clock = clock }

    /// The uptime at which the latest traffic ends or ended, or `nil` if there was none.
    var end: Duration? { state.withLock(\.end) }

    /// Sets the function to call when traffic begins.
    func onBegin(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.tell = tell } }

    /// Counts bytes that a channel has sent or received.
    func moved(_ bytes: Int) {
        guard bytes > 0 else { return }
        let now = clock.uptime
        let tell = state.withLock { state -> (@Sendable () -> Void)? in
            if now - state.began >= Self.interval { (state.began, state.bytes) = (now, 0) }
            state.bytes += bytes
            guard state.bytes >= Self.threshold else { return nil }
            let isNew = state.end.map { $0 <= now } ?? true
            state.end = now + Self.linger
            return isNew ? state.tell : nil
        }
        tell?()
    }
}
