// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis
@_spi(Reported) internal import HandoffModel

extension BatonError {
    private static let prefix = "org.batonproject.Baton1.Error."
    /// The codes that are never sent over the bus, because they concern the connection to the
    /// daemon, or the daemon's own state.
    private static let local: Set<Code> = [
        .daemonNotRunning, .alreadyRunning, .busUnavailable, .stateUnusable, .stateInUse,
    ]

    /// Returns the D-Bus error with which a handler's error is sent.
    ///
    /// - Parameter isExplained: Whether the caller wants the code and the values of the reason.
    static func onTheBus(_ error: any Error, isExplained: Bool = false) -> DBusError {
        if let error = error as? DBusError { return error }
        let error = BatonError(anyError: error)
        let code = local.contains(error.code) ? .failed : error.code
        return DBusError(
            name: prefix + code.rawValue, message: error.message, details: isExplained ? error.explanation : [])
    }

    /// Returns whether the bus or systemd failed to start the daemon.
    private static func isFailedStart(_ name: String, _ message: String) -> Bool {
        name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") || name.hasPrefix("org.freedesktop.systemd1.")
            || name == DBusError.timedOut && message.hasPrefix("Failed to activate service")
    }

    /// Returns the error that the caller of a method gets for a D-Bus error. Other errors are
    /// returned unchanged.
    static func fromTheBus(_ error: any Error) -> any Error {
        guard let error = error as? DBusError else { return error }
        if error.name.hasPrefix(prefix) {
            let code = Code(rawValue: String(error.name.dropFirst(prefix.count)))
            return BatonError(code, explanation: error.details, error.message)
                ?? BatonError(code, reported: error.message)
        }
        switch error.name {
        case DBusError.serviceUnknown, DBusError.nameHasNoOwner:
            return BatonError(.daemonNotRunning, .batonStopped, cause: error.name)
        case _ where isFailedStart(error.name, error.message):
            return BatonError(.daemonNotRunning, .batonNotStarted, because: error)
        case DBusError.disconnected:
            return BatonError(.busUnavailable, .busGone, cause: error.name)
        case DBusError.noReply:
            return BatonError(.failed, .noAnswer, cause: error.name)
        case DBusError.invalidArguments:
            return BatonError(.invalidArgument, .callInvalid, because: error)
        case DBusError.limitsExceeded:
            return BatonError(.limitReached, .busFull, cause: error.name)
        default: return BatonError(.failed, .busFailed, because: error)
        }
    }
}

extension BatonError {
    /// The code and the values of the reason, as `(sa{sv})`. The command is among the values. The
    /// array is empty if the error has no reason.
    private var explanation: [DBusValue] {
        guard let reason else { return [] }
        var values = reason.values.mapValues(\.bus)
        values["command"] = command.map(plain)
        return [plain(reason.code), .properties(values)]
    }

    /// Creates an error from the daemon's explanation, or returns nil if there is no valid
    /// explanation.
    private init?(_ code: Code, explanation: [DBusValue], _ message: String) {
        guard explanation.count >= 2, let kind = explanation[0].stringValue,
            let values = explanation[1].propertiesValue
        else { return nil }
        let known = values.compactMapValues(Reason.Value.init(bus:)).filter { $0.key != "command" }
        self.init(
            code, Reason(code: kind, values: known), command: values["command"].flatMap(UserInfoReader.text),
            reported: message)
    }

    /// Adds the code and the values of the reason to a dictionary.
    func explain(_ details: inout [String: DBusValue]) {
        guard explanation.count == 2 else { return }
        (details["code"], details["values"]) = (explanation[0], explanation[1])
    }

    /// Creates an error from a dictionary that ``explain(_:)`` has filled, or that has no reason.
    init(_ code: Code, explainedBy details: [String: DBusValue]) {
        let explanation = [details["code"], details["values"]].compactMap { $0?.unwrapped }
        let message = details["message"].flatMap(UserInfoReader.text) ?? ""
        self = BatonError(code, explanation: explanation, message) ?? BatonError(code, reported: message)
    }
}

extension BusArguments<BatonError> {
    /// The code and the message of an error that the daemon reports to an app.
    static var failure: Self {
        BusArguments<(String, String)>.both(.text("error"), .text("message")).map(
            { BatonError(BatonError.Code(rawValue: $0), reported: $1) }, { ($0.code.rawValue, $0.message) })
    }
}

extension BatonError {
    /// Whether the daemon did not answer, because it has ended or hangs. Failures that the daemon
    /// reports have other causes.
    public var isUnanswered: Bool { code == .failed && cause == DBusError.noReply }
}
