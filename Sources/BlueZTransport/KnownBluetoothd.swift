// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus

/// The bluetoothd that there is, and what is known of it.
struct KnownBluetoothd {
    /// Its incarnation; `nil` where none runs.
    var daemon: BlueZDaemon?
    /// Why it has not answered when it was asked; `nil` once it has.
    var failure: DBusError?
    /// How it was set up.
    var setup = BluetoothdSetup()
    /// When it was heard last.
    var heard = Duration.zero

    /// Whether it hangs, as far as is known: what comes from it says that it goes on.
    var hangs: Bool { failure?.name == DBusError.noReply }

    /// When it should be asked whether it lives; `nil` where there is nobody to ask, or it was
    /// asked and has not answered.
    ///
    /// - Parameter limit: How long it may be silent.
    func question(after limit: Duration) -> Duration? {
        daemon == nil || failure != nil ? nil : heard + limit
    }
}
