// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import Diagnosis

/// A request that bluetoothd refused on an adapter, with the error.
struct Refusal: Hashable, Sendable {
    /// The work that was requested.
    enum Work: String, Sendable {
        case advertise, scan
    }

    /// The number of refusals in a row after which waiting does not help. Because of the growing
    /// pauses, this many refusals take at least half a minute.
    static let manyTimes = 5

    let work: Work
    let error: DBusError
    /// The number of refusals in a row, at most ``manyTimes``.
    let times: Int

    init(_ work: Work, because error: any Error, times: Int = 1) {
        self.work = work
        self.times = min(times, Self.manyTimes)
        self.error = error as? DBusError ?? DBusError(name: DBusError.failed, message: "\(error)")
    }

    /// Whether the adapter can never do the requested work, so that another attempt is pointless.
    var isFinal: Bool {
        switch error.name {
        case "org.bluez.Error.InvalidLength", "org.bluez.Error.NotSupported", DBusError.unknownMethod,
            DBusError.unknownInterface:
            true
        default: false
        }
    }

    /// Whether the kernel's Bluetooth seems broken, because the adapter is on but refuses
    /// repeatedly.
    ///
    /// Some kernels break in this way when a link ends while a channel is open
    /// (Decisions/0090-closing-may-take-a-thread.md).
    private var isBroken: Bool { times == Self.manyTimes && error.name == "org.bluez.Error.Failed" }

    /// Whether bluetoothd had no free slot for an advertisement. The advertisement may succeed
    /// when another advertisement ends.
    var isFull: Bool { work == .advertise && error.name == "org.bluez.Error.NotPermitted" }

    /// Returns the finding for the user.
    func finding(on adapter: String) -> Finding {
        switch error.name {
        case DBusError.noReply: BlueZStatus.silent
        case _ where isFull: Finding(.advertisingFull, ["adapter": .text(adapter)])
        case _ where isBroken: Finding(.bluetoothBroken)
        case DBusError.accessDenied: Finding(.bluetoothDenied)
        case "org.bluez.Error.NotReady": Finding(.adapterStarting)
        case _ where isFinal: Finding(.adapterUnfit)
        default: Finding(.bluetoothRefused, ["reason": .reason(reason)])
        }
    }

    /// The reason in Baton's words, or with the name of bluetoothd's error.
    private var reason: Reason {
        let program = Reason.Value.text(Self.program)
        if let failure = Self.failures[error.name] { return Reason(failure, ["program": program]) }
        return Reason(busError: error.name, of: Self.program)
            ?? Reason(.programReports, ["program": program, "message": .text(error.name)])
    }

    private static let program = "bluetoothd"
    /// The failures by BlueZ's errors, from its `src/error.h`.
    private static let failures: [String: FailureCode] = [
        "org.bluez.Error.InProgress": .programBusy, "org.bluez.Error.Busy": .programBusy,
        "org.bluez.Error.NotPermitted": .programDenies, "org.bluez.Error.NotAuthorized": .programDenies,
        "org.bluez.Error.NotSupported": .programUnable,
    ]
}
