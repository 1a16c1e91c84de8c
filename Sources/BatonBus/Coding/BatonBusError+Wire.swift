// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension BatonBusError {
    private static let prefix = "org.batonproject.Baton1.Error."
    /// Codes that never stand on the bus, as they are about the way to it.
    private static let local: Set<Code> = [.daemonNotRunning, .alreadyRunning, .busUnavailable]

    /// What a handler's error is on the bus.
    static func onTheBus(_ error: any Error) -> DBusError {
        switch error {
        case let error as BatonBusError:
            let code = local.contains(error.code) ? .failed : error.code
            return DBusError(name: prefix + code.rawValue, message: error.message)
        case let error as DBusError: return error
        case is CancellationError:
            return DBusError(name: prefix + Code.userCancelled.rawValue, message: "the call was cancelled")
        default: return DBusError(name: prefix + Code.failed.rawValue, message: "\(error)")
        }
    }

    /// Whether the bus, or systemd for it, tried to start the daemon in vain.
    private static func isFailedStart(_ name: String, _ message: String) -> Bool {
        name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") || name.hasPrefix("org.freedesktop.systemd1.")
            || name == DBusError.timedOut && message.hasPrefix("Failed to activate service")
    }

    /// What an error of a call is to the caller; a cancellation stays what it is.
    static func fromTheBus(_ error: any Error) -> any Error {
        guard let error = error as? DBusError else { return error }
        if error.name.hasPrefix(prefix) {
            return BatonBusError(Code(rawValue: String(error.name.dropFirst(prefix.count))), error.message)
        }
        switch error.name {
        case DBusError.serviceUnknown, DBusError.nameHasNoOwner:
            return BatonBusError(
                .daemonNotRunning,
                "batond is not running; start it with `systemctl --user start batond`, or run `batond`",
                cause: error.name)
        case let name where isFailedStart(name, error.message):
            return BatonBusError(
                .daemonNotRunning,
                "batond could not be started (\(error.message)); see why with `journalctl --user -u batond`, or run `batond` in a terminal",
                cause: name)
        case DBusError.disconnected:
            return BatonBusError(.busUnavailable, "the session bus has gone: \(error.message)", cause: error.name)
        case DBusError.noReply:
            return BatonBusError(
                .failed, "batond ended, or did not answer in time; see 'baton doctor', then repeat this",
                cause: error.name)
        case DBusError.invalidArguments: return BatonBusError(.invalidArgument, error.message, cause: error.name)
        case DBusError.limitsExceeded: return BatonBusError(.limitReached, error.message, cause: error.name)
        default: return BatonBusError(.failed, error.description, cause: error.name)
        }
    }
}

extension BatonBusError {
    /// Whether the daemon gave no answer: it has ended meanwhile, or hangs. Its own failures have
    /// other causes.
    public var isUnanswered: Bool { code == .failed && cause == DBusError.noReply }
}
