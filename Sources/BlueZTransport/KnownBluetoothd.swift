// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus

/// The bluetoothd that runs now, and its known state.
struct KnownBluetoothd {
    /// The running bluetoothd, or `nil` if none runs.
    var daemon: BlueZDaemon?
    /// Why the last question was not answered, or `nil` if it was.
    var failure: DBusError?
    /// How bluetoothd is set up.
    var setup = BluetoothdSetup()
    /// When the last message of bluetoothd arrived.
    var heard = Duration.zero

    /// Whether bluetoothd did not answer the last question. A message from it shows that it has
    /// recovered.
    var hangs: Bool { failure?.name == DBusError.noReply }

    /// Returns when to check that bluetoothd still answers.
    ///
    /// It is `nil` if none runs or the last question was not answered.
    ///
    /// - Parameter limit: How long it may be silent.
    func question(after limit: Duration) -> Duration? {
        daemon == nil || failure != nil ? nil : heard + limit
    }
}
