// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel

/// Why something could not be done: an error of the service, of the daemon around it, or of the
/// way to that. Code and message are kept across the bus.
///
/// `HandoffError` stays a type of its own: it stands on the wire, where members read it. This error
/// is for people and programs of this computer.
public struct BatonError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    public var code: Code
    /// One line for people, which says what failed and what to do: whoever's words are in it, it
    /// has no characters but visible ones, and at most ``maximumMessage`` bytes.
    public let message: String
    /// The D-Bus error name when the error is none of the daemon's own, such as
    /// `org.freedesktop.DBus.Error.NoReply`.
    public var cause: String?

    /// An error that a handler throws to the caller.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = Self.line(message.trimmed)
        self.cause = cause
    }

    /// Any error, as the bus has it.
    package init(anyError error: any Error) {
        switch error {
        case let error as BatonError: self = error
        case is CancellationError: self.init(.userCancelled, "it was cancelled")
        default: self.init(.failed, "\(error)")
        }
    }

    /// The most bytes of a message; what is longer is cut.
    public static let maximumMessage = 2_048

    private static func line(_ text: String) -> String {
        let line = VisibleText.escaped(text)
        guard line.utf8.count > maximumMessage else { return line }
        var end = line.utf8.index(line.startIndex, offsetBy: maximumMessage - 3)
        while end.samePosition(in: line) == nil { end = line.utf8.index(before: end) }
        return line[..<end] + "…"
    }

    /// The message, or the code where there is none.
    public var description: String { message.isEmpty ? code.rawValue : message }

    /// What kind of error it is: the last part of `org.batonproject.Baton1.Error.…`. More may come.
    public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
        /// The name, without its prefix.
        public var rawValue: String
        /// A code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The name, without its prefix.
        public var description: String { rawValue }

        /// An argument has the wrong type or value; the message names it.
        public static let invalidArgument = Code(rawValue: "InvalidArgument")
        /// No such activity, offer or continuation, or it belongs to another client.
        public static let notFound = Code(rawValue: "NotFound")
        /// This device is in no circle yet.
        public static let noCircle = Code(rawValue: "NoCircle")
        /// This device is in a circle already.
        public static let alreadyInCircle = Code(rawValue: "AlreadyInCircle")
        /// The other device refused or broke off the hand-over (`userActivityHandoffFailed`).
        public static let handoffFailed = Code(rawValue: "HandoffFailed")
        /// The other device cannot be reached (`userActivityConnectionUnavailable`).
        public static let connectionUnavailable = Code(rawValue: "ConnectionUnavailable")
        /// The app on the other device did not answer in time
        /// (`userActivityRemoteApplicationTimedOut`).
        public static let remoteApplicationTimedOut = Code(rawValue: "RemoteApplicationTimedOut")
        /// The activity's contents are too large (`userActivityHandoffUserInfoTooLarge`).
        public static let userInfoTooLarge = Code(rawValue: "UserInfoTooLarge")
        /// The user, or the caller, cancelled it.
        public static let userCancelled = Code(rawValue: "UserCancelled")
        /// There are too many of them already, or they come too fast.
        public static let limitReached = Code(rawValue: "LimitReached")
        /// The radio cannot be used.
        public static let radioUnavailable = Code(rawValue: "RadioUnavailable")
        /// The invitation is malformed or too old, or nobody answers to it.
        public static let invitationInvalid = Code(rawValue: "InvitationInvalid")
        /// Two devices were not paired: the digits differed, or one of them broke off, as an
        /// inviter does for whom the invitation is over.
        public static let pairingFailed = Code(rawValue: "PairingFailed")
        /// The caller may not do this: another user's, or a sandboxed app that speaks for another.
        public static let notAllowed = Code(rawValue: "NotAllowed")
        /// No app here continues it, the app could not be started, or it did not take the activity
        /// over.
        public static let applicationFailed = Code(rawValue: "ApplicationFailed")
        /// From an app only: it cannot continue anything just now; the message says why.
        public static let notReady = Code(rawValue: "NotReady")
        /// The state file cannot be used. On the bus it is ``failed``.
        public static let stateUnusable = Code(rawValue: "StateUnusable")
        /// Another service uses the state directory. On the bus it is ``failed``.
        public static let stateInUse = Code(rawValue: "StateInUse")
        /// Anything else.
        public static let failed = Code(rawValue: "Failed")

        /// No daemon owns the bus name. Never sent over the bus: the client finds it.
        public static let daemonNotRunning = Code(rawValue: "DaemonNotRunning")
        /// Another daemon owns the bus name. Never sent over the bus: the service finds it.
        public static let alreadyRunning = Code(rawValue: "AlreadyRunning")
        /// There is no session bus, or the connection to it ended. Never sent over the bus.
        public static let busUnavailable = Code(rawValue: "BusUnavailable")
    }
}
