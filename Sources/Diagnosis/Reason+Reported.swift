// SPDX-License-Identifier: Apache-2.0

extension Reason {
    /// Creates the reason for a failed system call. `Wording` takes its sentence from the system.
    ///
    /// - Parameter errno: The system's error number.
    public init(errno: Int32) { self.init(.systemError, ["errno": .count(Int(errno))]) }

    /// Creates the reason for an error that a program reports over D-Bus, or returns nil if Baton
    /// has no words for the error.
    ///
    /// - Parameters:
    ///   - name: The name of the error.
    ///   - program: The program's name for people.
    ///
    /// Source: the names in `dbus-protocol.h` and in systemd's `bus-common-errors.h`.
    public init?(busError name: String, of program: String) {
        let parts = name.split(separator: ".")
        guard let last = parts.last,
            let failure = Self.failures[parts.dropLast().joined(separator: ".")]?[String(last)]
        else { return nil }
        self.init(failure, ["program": .text(program)])
    }

    /// The failures by the first parts of an error's name, and by the last part.
    private static let failures: [String: [String: FailureCode]] = [
        "org.freedesktop.DBus.Error": [
            "NoReply": .programSilent, "Timeout": .programSilent, "TimedOut": .serviceLate,
            "ServiceUnknown": .programAbsent, "NameHasNoOwner": .programAbsent, "Disconnected": .busGone,
            "FileNotFound": .addressSilent, "NoServer": .addressSilent, "BadAddress": .addressSilent,
            "AccessDenied": .programDenies, "AuthFailed": .programDenies,
            "InteractiveAuthorizationRequired": .programDenies, "LimitsExceeded": .programBusy,
            "NoMemory": .memoryFull, "NotSupported": .programUnable, "UnknownMethod": .programUnable,
            "UnknownObject": .programUnable, "UnknownInterface": .programUnable, "UnknownProperty": .programUnable,
        ],
        "org.freedesktop.DBus.Error.Spawn": [
            "ChildExited": .serviceEnded, "ChildSignaled": .serviceEnded, "ExecFailed": .serviceUnrunnable,
            "ForkFailed": .serviceUnrunnable, "PermissionsInvalid": .serviceUnrunnable,
            "NoMemory": .memoryFull, "ServiceNotFound": .serviceUndescribed, "FileInvalid": .serviceUndescribed,
            "ConfigInvalid": .serviceUndescribed,
        ],
        "org.freedesktop.systemd1": [
            "NoSuchUnit": .serviceUndescribed, "LoadFailed": .serviceUndescribed,
            "BadUnitSetting": .serviceUndescribed, "UnitMasked": .serviceMasked,
        ],
    ]
}
