// SPDX-License-Identifier: Apache-2.0

/// Why an activity could not be continued, or its streams not be had: what a peer answers and what
/// the app is told.
///
/// Code and message cross the wire (`Documentation/Protocol/Session.md`, "Failures"); the cause
/// stays here.
public struct HandoffError: Error, Hashable, Sendable {
    /// The kinds of failure. A code that this version does not know is kept, and treated as
    /// ``handoffFailed``.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt32

        /// A code by its number on the wire; 0, which nobody sends, is ``handoffFailed``.
        public init(rawValue: UInt32) { self.rawValue = rawValue == 0 ? Self.handoffFailed.rawValue : rawValue }

        /// The hand-over failed for a reason that no other code names.
        public static let handoffFailed = Code(rawValue: 1)
        /// The other device cannot be reached, or went away.
        public static let connectionUnavailable = Code(rawValue: 2)
        /// The app on the other device did not answer in time.
        public static let remoteApplicationTimedOut = Code(rawValue: 3)
        /// The activity's userInfo is larger than 65,536 bytes once encoded.
        public static let userInfoTooLarge = Code(rawValue: 4)
        /// The user called it off.
        public static let userCancelled = Code(rawValue: 5)
        /// There is no such activity any more.
        public static let noSuchActivity = Code(rawValue: 6)
        /// The activity does not support continuation streams, or nobody is there to take them.
        public static let streamsUnsupported = Code(rawValue: 7)
        /// A limit of this or the other device was reached; later it may work.
        public static let busy = Code(rawValue: 8)
        /// The activity cannot be sent: a value, a property or a URL is outside what the protocol
        /// carries.
        public static let invalidActivity = Code(rawValue: 9)
    }

    /// The longest message that is sent, in UTF-8 bytes; longer ones are cut.
    public static let maximumMessageLength = 512

    /// What kind of failure it is.
    public var code: Code
    /// What failed and what to do, in one line.
    public var message: String
    /// What lay behind it on this device; never sent.
    public var cause: String?
    /// Whether the other device is there, and has closed the channel instead of answering; never
    /// sent.
    public var isHangUp = false
    /// Whether this device had no descriptor for it, so that nothing was tried.
    public var isUntried = false
    /// Whether the other device was dialled, and nothing answered there in time; never sent.
    public var isUnanswered = false

    /// A failure of a hand-over.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension HandoffError.Code: CustomStringConvertible {
    /// What is meant, in a few words.
    public var description: String {
        switch self {
        case .handoffFailed: "hand-over failed"
        case .connectionUnavailable: "connection unavailable"
        case .remoteApplicationTimedOut: "remote application timed out"
        case .userInfoTooLarge: "userInfo too large"
        case .userCancelled: "cancelled by the user"
        case .noSuchActivity: "no such activity"
        case .streamsUnsupported: "streams unsupported"
        case .busy: "busy"
        case .invalidActivity: "invalid activity"
        default: "failure \(rawValue)"
        }
    }
}

extension HandoffError: CustomStringConvertible {
    /// The message, with the cause when there is one.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
