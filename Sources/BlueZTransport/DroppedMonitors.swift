// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides whether to use monitors although bluetoothd has dropped some.
///
/// After an adapter was switched off and on again, some kernels refuse every monitor as busy, until
/// bluetoothd starts anew. bluetoothd accepts the monitors nevertheless, and drops each at once.
struct DroppedMonitors {
    /// The number of monitors, dropped one after another, after which none is used for a while.
    static let mostDrops = 5
    /// How long a monitor lives if the kernel has accepted it.
    static let shortLife = Duration.seconds(10)
    /// How long no monitor is used then.
    static let pause = Duration.seconds(600)

    private var drops = 0
    private var pauseEnd = Duration.zero

    /// Returns whether a monitor may be used.
    func allowMonitor(at uptime: Duration) -> Bool { uptime >= pauseEnd }

    /// Records that bluetoothd has dropped a monitor. Returns whether no monitor is used from now
    /// on.
    mutating func dropped(after life: Duration, at uptime: Duration) -> Bool {
        drops = life < Self.shortLife ? drops + 1 : 0
        guard drops == Self.mostDrops else { return false }
        drops = 0
        pauseEnd = uptime + Self.pause
        return true
    }

    /// Records that the adapter has stopped using a monitor that bluetoothd had not dropped.
    mutating func ended(after life: Duration) {
        if life >= Self.shortLife { drops = 0 }
    }
}
