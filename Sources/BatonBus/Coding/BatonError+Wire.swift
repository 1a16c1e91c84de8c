// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis

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
            return BatonError(.daemonNotRunning, .batonStopped, cause: error.name)
        case let name where isFailedStart(name, error.message):
            return BatonError(.daemonNotRunning, .batonNotStarted, ["reason": .text(error.message)], cause: name)
        case DBusError.disconnected:
            return BatonError(.busUnavailable, .busGone, ["reason": .text(error.message)], cause: error.name)
        case DBusError.noReply:
            return BatonError(.failed, .noAnswer, cause: error.name)
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
