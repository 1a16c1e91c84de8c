// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import Diagnosis

/// What bluetoothd does not do on an adapter, and its reason.
struct Refusal: Hashable, Sendable {
    /// What it was asked to do.
    enum Work: String, Sendable {
        case advertise, scan
    }

    /// After so many refusals in a row, which take half a minute at least, waiting does not help.
    static let manyTimes = 5

    let work: Work
    let error: DBusError
    /// How often it was refused in a row, ``manyTimes`` at most.
    let times: Int

    /// A refusal with whatever was thrown.
    init(_ work: Work, because error: any Error, times: Int = 1) {
        self.work = work
        self.times = min(times, Self.manyTimes)
        self.error = error as? DBusError ?? DBusError(name: DBusError.failed, message: "\(error)")
    }

    /// Whether the adapter never does what it was asked, so that asking again is pointless.
    var isFinal: Bool {
        switch error.name {
        case "org.bluez.Error.InvalidLength", "org.bluez.Error.NotSupported", DBusError.unknownMethod,
            DBusError.unknownInterface:
            true
        default: false
        }
    }

    /// Whether the kernel's Bluetooth is broken: it is on, and refuses again and again. Some
    /// kernels come to that when a link ends with a channel open
    /// (Decisions/0090-closing-may-take-a-thread.md).
    private var isBroken: Bool { times == Self.manyTimes && error.name == "org.bluez.Error.Failed" }

    /// Whether there was no room for an advertisement: another may end.
    var isFull: Bool { work == .advertise && error.name == "org.bluez.Error.NotPermitted" }

    /// What the user is told.
    ///
    /// - Parameter adapter: The adapter's name.
    func finding(on adapter: String) -> Finding {
        guard error.name != DBusError.noReply else { return BlueZStatus.silent }
        let (code, advice): (FindingCode, String) =
            switch error.name {
            case _ where isFull:
                (
                    .advertisingFull,
                    "no room for another advertisement: stop another program that advertises over Bluetooth"
                )
            case _ where isBroken:
                (
                    .bluetoothBroken,
                    "bluetoothd could not \(work) \(times) times in a row: switch Bluetooth off and on; should that not help, run "
                        + "\"systemctl restart bluetooth\", and then start the laptop anew"
                )
            case DBusError.accessDenied:
                (.bluetoothDenied, "bluetoothd does not let this user \(work): ask the administrator")
            case "org.bluez.Error.NotReady": (.adapterStarting, "the adapter is still starting")
            case "org.bluez.Error.InvalidLength" where work == .advertise:
                (.adapterUnfit, "this adapter has no room for as long an advertisement as Baton's: use another")
            case _ where isFinal: (.adapterUnfit, "this adapter cannot \(work) over Bluetooth LE: use another")
            default: (.bluetoothRefused, "bluetoothd refused to \(work) (\(error.name)); it is tried again")
            }
        return Finding(code, "\(adapter): \(advice)")
    }
}
