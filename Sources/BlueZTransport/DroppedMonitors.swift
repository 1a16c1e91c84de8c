// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides whether to use monitors although bluetoothd has dropped some.
///
/// After an adapter was switched off and on again, some kernels refuse every monitor as busy, until
/// bluetoothd restarts. bluetoothd accepts the monitors nevertheless, and drops each at once. It
/// activates only those that the kernel has accepted.
struct DroppedMonitors {
    /// The number of monitors, dropped one after another before they were active, after which none
    /// is used for a while.
    static let mostDrops = 5
    /// How long no monitor is used then.
    static let pause = Duration.seconds(600)

    private var drops = 0
    private var pauseEnd = Duration.zero

    /// Returns whether a monitor may be used.
    func allowMonitor(at uptime: Duration) -> Bool { uptime >= pauseEnd }

    /// Records that a monitor is active.
    mutating func activated() { drops = 0 }

    /// Records that bluetoothd has dropped a monitor that was not active. Returns whether no
    /// monitor is used from now on.
    mutating func dropped(at uptime: Duration) -> Bool {
        drops += 1
        guard drops == Self.mostDrops else { return false }
        drops = 0
        pauseEnd = uptime + Self.pause
        return true
    }
}
