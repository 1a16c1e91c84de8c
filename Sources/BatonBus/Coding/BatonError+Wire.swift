// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension BatonError {
    private static let prefix = "org.batonproject.Baton1.Error."
    /// The codes that are never sent over the bus. They concern the connection to the daemon, or
    /// the daemon's own state.
    private static let local: Set<Code> = [
        .daemonNotRunning, .alreadyRunning, .busUnavailable, .stateUnusable, .stateInUse,
    ]

    /// Returns the D-Bus error that represents a handler's error.
    static func onTheBus(_ error: any Error) -> DBusError {
        switch error {
        case let error as BatonError:
            let code = local.contains(error.code) ? .failed : error.code
            return DBusError(name: prefix + code.rawValue, message: error.message)
        case let error as DBusError: return error
        case is CancellationError:
            return DBusError(name: prefix + Code.userCancelled.rawValue, message: "the call was cancelled")
        default: return DBusError(name: prefix + Code.failed.rawValue, message: "\(error)")
        }
    }

    /// Returns whether the bus or systemd failed to start the daemon.
    private static func isFailedStart(_ name: String, _ message: String) -> Bool {
        name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") || name.hasPrefix("org.freedesktop.systemd1.")
            || name == DBusError.timedOut && message.hasPrefix("Failed to activate service")
    }

    /// Returns the error that the caller of a method gets. A cancellation is returned unchanged.
    static func fromTheBus(_ error: any Error) -> any Error {
        guard let error = error as? DBusError else { return error }
        if error.name.hasPrefix(prefix) {
            return BatonError(Code(rawValue: String(error.name.dropFirst(prefix.count))), error.message)
        }
        switch error.name {
        case DBusError.serviceUnknown, DBusError.nameHasNoOwner:
            return BatonError(
                .daemonNotRunning,
                "batond is not running; start it with `systemctl --user start batond`, or run `batond`",
                cause: error.name)
        case let name where isFailedStart(name, error.message):
            return BatonError(
                .daemonNotRunning,
                "batond could not be started (\(error.message)); see why with `journalctl --user -u batond`, or run `batond` in a terminal",
                cause: name)
        case DBusError.disconnected:
            return BatonError(.busUnavailable, "the session bus has gone: \(error.message)", cause: error.name)
        case DBusError.noReply:
            return BatonError(
                .failed, "batond ended, or did not answer in time; see 'baton doctor', then repeat this",
                cause: error.name)
        case DBusError.invalidArguments: return BatonError(.invalidArgument, error.message, cause: error.name)
        case DBusError.limitsExceeded: return BatonError(.limitReached, error.message, cause: error.name)
        default: return BatonError(.failed, error.description, cause: error.name)
        }
    }
}

extension BatonError {
    /// Whether the daemon gave no answer, because it has ended or hangs. Failures that the daemon
    /// itself reports have another cause.
    public var isUnanswered: Bool { code == .failed && cause == DBusError.noReply }
}
