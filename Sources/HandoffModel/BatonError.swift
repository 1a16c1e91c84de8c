// SPDX-License-Identifier: Apache-2.0

package import ActivityModel
public import Diagnosis
public import Wording

/// An error of the service, of the daemon around it, or of the connection to the daemon.
///
/// Code and message stay the same across the bus. This error is for people and programs on this
/// computer. Errors that are sent to other devices have a type of their own, `HandoffError`.
public struct BatonError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public var code: Code
    /// One line for people, which says what failed and what to do.
    ///
    /// The message may contain text from other devices and programs, so it is limited to visible
    /// characters and ``maximumMessage`` bytes.
    public let message: String
    /// The reason for this error, or nil if the error has only a message.
    public let reason: Reason?
    /// A shell command that helps, or nil.
    public let command: String?
    /// The D-Bus error name, if the error is not one of the daemon's.
    ///
    /// An example is `org.freedesktop.DBus.Error.NoReply`.
    public var cause: String?
    /// Another program's text about the error, for the log. The message shows Baton's own words.
    package var detail: String?

    /// Creates an error in the words of the program that reported it.
    ///
    /// Only code that reads such words from the bus, or gets them from an app, may use this
    /// initializer (`@_spi`). Other code passes a ``Reason``.
    @_spi(Reported) public init(_ code: Code, reported message: String, cause: String? = nil) {
        self.init(code, message: message.trimmed, cause: cause)
    }

    /// Creates an error with the reason and the words of the program that reported it.
    @_spi(Reported) public init(_ code: Code, _ reason: Reason, command: String?, reported message: String) {
        self.init(code, message: message, reason: reason, command: command)
    }

    private init(
        _ code: Code, message: String, reason: Reason? = nil, command: String? = nil, cause: String? = nil
    ) {
        self.code = code
        self.message = Self.line(message)
        self.reason = reason
        self.command = command
        self.cause = cause
    }

    /// Creates an error for a finding. The message is in the session's language.
    public init(_ code: Code, _ finding: Finding, cause: String? = nil) {
        self.init(
            code, message: finding.text(on: .window), reason: finding.reason, command: finding.command, cause: cause)
    }

    /// Creates an error for a failure. The message is in the session's language.
    public init(_ code: Code, _ failure: FailureCode, _ values: [String: Reason.Value] = [:], cause: String? = nil) {
        self.init(code, Reason(failure, values), cause: cause)
    }

    /// Creates an error for a reason.
    ///
    /// - Parameter command: A shell command that helps.
    package init(_ code: Code, _ reason: Reason, command: String? = nil, cause: String? = nil) {
        self.init(
            code, message: reason.text(on: .window) ?? reason.code, reason: reason, command: command, cause: cause)
    }

    /// Creates the error for a wrong argument.
    ///
    /// - Parameters:
    ///   - name: The name of the argument, or of the activity's property.
    ///   - failure: The kind of fault.
    package init(argument name: String, _ failure: FailureCode, _ values: [String: Reason.Value] = [:]) {
        self.init(.invalidArgument, Reason(failure, values).with("argument", .text(name)))
    }

    package init(_ error: UserActivityError) {
        let name = (error.property == "activityType" ? "type" : error.property) + error.path
        switch error.code {
        case .invalidType:
            let range = ["least": Reason.Value.count(1), "greatest": .count(ActivityState.maximumIdentifierLength)]
            self.init(argument: name, .argumentText, range)
        case .invalidWebpageURL: self.init(argument: name, .argumentNoPage)
        case .tooDeep: self.init(argument: name, .argumentDepth, ["greatest": .count(UserInfoValue.maximumDepth)])
        case .unsupportedValue: self.init(argument: name, .argumentNaN)
        default: self.init(argument: name, .unexpected, ["reason": .reason(Reason(quoting: error.message))])
        }
    }

    /// Returns the error with one more value in its reason, such as the app that the error is
    /// about.
    package func with(_ name: String, _ value: Reason.Value) -> BatonError {
        guard let reason else { return self }
        var error = BatonError(code, reason.with(name, value), command: command, cause: cause)
        error.detail = detail
        return error
    }

    /// The problem that this error is about, or nil if the error has only words.
    public var finding: Finding? { reason.map { Finding($0, command: command, reported: message) } }

    /// The error in words: what failed, and what to do.
    public func text(on surface: Surface, in language: Language = .session) -> String {
        let words = reason?.text(on: surface, in: language, command: command)
        // Names that are isolated have no invisible characters.
        let text = words.map { surface.isolatesNames ? Self.cut($0) : Self.line($0) } ?? message
        return text.isEmpty ? code.rawValue : text
    }

    /// Creates the error that represents any other error on the bus.
    package init(anyError error: any Error) {
        switch error {
        case let error as BatonError: self = error
        case is CancellationError: self.init(.userCancelled, .cancelled)
        default: self.init(.failed, .unexpected, ["reason": Self.reason(error)])
        }
    }

    /// The value for a sentence that says what failed because of an error: the error's reason, or a
    /// quotation of its text.
    public static func reason(_ error: any Error) -> Reason.Value {
        switch error {
        case let error as BatonError: .reason(error.reason ?? Reason(quoting: error.message))
        case let error as any ExplainedError: .reason(error.explanation)
        default: .reason(Reason(quoting: "\(error)"))
        }
    }

    /// The maximum length of a message, in bytes. Longer messages are cut.
    public static let maximumMessage = 2_048

    private static func line(_ text: String) -> String { cut(VisibleText.escaped(text)) }

    private static func cut(_ line: String) -> String {
        guard line.utf8.count > maximumMessage else { return line }
        var end = line.utf8.index(line.startIndex, offsetBy: maximumMessage - 3)
        while end.samePosition(in: line) == nil { end = line.utf8.index(before: end) }
        return line[..<end] + "…"
    }

    /// The message for a terminal or a log, in English if the reason is known. Without a message,
    /// it is the code. The detail follows in parentheses.
    public var description: String {
        let text = text(on: .terminal, in: .english)
        return detail.map { "\(text) (\(Self.line($0)))" } ?? text
    }

    /// The kind of error: the last part of `org.batonproject.Baton1.Error.…`.
    ///
    /// New kinds may be added.
    public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// The name, without its prefix.
        public var rawValue: String
        /// Creates a code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name, without its prefix.
        public var description: String { rawValue }

        /// An argument has the wrong type or value. The message names it.
        public static let invalidArgument = Code(rawValue: "InvalidArgument")
        /// The named thing, such as an activity or an offer, does not exist or belongs to another
        /// client.
        public static let notFound = Code(rawValue: "NotFound")
        /// This device is in no circle yet.
        public static let noCircle = Code(rawValue: "NoCircle")
        /// This device is already in a circle.
        public static let alreadyInCircle = Code(rawValue: "AlreadyInCircle")
        /// The other device rejected or aborted the hand-over (`userActivityHandoffFailed`).
        public static let handoffFailed = Code(rawValue: "HandoffFailed")
        /// The other device cannot be reached (`userActivityConnectionUnavailable`).
        public static let connectionUnavailable = Code(rawValue: "ConnectionUnavailable")
        /// The app on the other device did not answer in time.
        ///
        /// Foundation's code is `userActivityRemoteApplicationTimedOut`.
        public static let remoteApplicationTimedOut = Code(rawValue: "RemoteApplicationTimedOut")
        /// The activity's contents are too large (`userActivityHandoffUserInfoTooLarge`).
        public static let userInfoTooLarge = Code(rawValue: "UserInfoTooLarge")
        /// The user or the caller cancelled the operation.
        public static let userCancelled = Code(rawValue: "UserCancelled")
        /// A limit is reached. For example, there are too many activities, or calls arrive too
        /// fast.
        public static let limitReached = Code(rawValue: "LimitReached")
        /// The radio cannot be used.
        public static let radioUnavailable = Code(rawValue: "RadioUnavailable")
        /// The invitation is malformed or too old, or no device answers to it.
        public static let invitationInvalid = Code(rawValue: "InvitationInvalid")
        /// Two devices were not paired because the digits differed, or because one of the devices
        /// stopped.
        ///
        /// An inviting device stops when its invitation expires.
        public static let pairingFailed = Code(rawValue: "PairingFailed")
        /// The caller may not do this.
        ///
        /// For example, the caller belongs to another user, or is a sandboxed app that acts for
        /// another app.
        public static let notAllowed = Code(rawValue: "NotAllowed")
        /// No app of this device continues the activity, the app did not start, or it did not take
        /// the activity over.
        public static let applicationFailed = Code(rawValue: "ApplicationFailed")
        /// Sent by apps only: the app cannot continue anything now. The message says why.
        public static let notReady = Code(rawValue: "NotReady")
        /// The state file cannot be used. On the bus this error is sent as ``failed``.
        public static let stateUnusable = Code(rawValue: "StateUnusable")
        /// Another service uses the state directory. On the bus this error is sent as ``failed``.
        public static let stateInUse = Code(rawValue: "StateInUse")
        /// Any other error.
        public static let failed = Code(rawValue: "Failed")

        /// No daemon owns the bus name. The client creates this error, which is never sent over the
        /// bus.
        public static let daemonNotRunning = Code(rawValue: "DaemonNotRunning")
        /// Another daemon owns the bus name. The service creates this error, which is never sent
        /// over the bus.
        public static let alreadyRunning = Code(rawValue: "AlreadyRunning")
        /// There is no session bus, or the connection to it has ended. This error is never sent
        /// over the bus.
        public static let busUnavailable = Code(rawValue: "BusUnavailable")
    }
}
