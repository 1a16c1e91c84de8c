// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Synchronization

/// Whether much goes over a radio's channels, so that listening would take its time.
final class ChannelTraffic: Sendable {
    /// So many bytes within ``interval``, of all channels together, are much: more than a hello.
    static let threshold = 4_096
    static let interval = Duration.seconds(1)
    /// How long it counts after the last of it.
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

    /// Until when it counts; nil where there was none.
    var end: Duration? { state.withLock(\.end) }

    /// Says who is told when it begins.
    func onBegin(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.tell = tell } }

    /// So many bytes have gone over a channel, either way.
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
