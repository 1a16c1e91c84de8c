// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus

/// The bluetoothd that runs now, and its known state.
struct KnownBluetoothd {
    /// The running bluetoothd, or `nil` if none runs.
    var daemon: BlueZDaemon?
    /// The reason why the last question was not answered, or `nil` if it was answered.
    var failure: DBusError?
    var setup = BluetoothdSetup()
    /// The uptime at which the last message from bluetoothd arrived.
    var heard = Duration.zero

    /// Whether bluetoothd did not answer the last question in time. A later message from bluetoothd
    /// shows that it has recovered.
    var hangs: Bool { failure?.name == DBusError.noReply }

    /// Returns the uptime at which to check that bluetoothd still answers; `nil` if bluetoothd does
    /// not run, or did not answer the last question.
    ///
    /// - Parameter limit: How long bluetoothd may be silent.
    func question(after limit: Duration) -> Duration? {
        daemon == nil || failure != nil ? nil : heard + limit
    }
}
