// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// The reason why an activity could not be continued, or its streams could not be opened.
///
/// A peer sends its code and a text over the wire (`Documentation/Protocol/Session.md`,
/// "Failures"). The receiver shows its own text for that code. The cause stays on this device.
public struct HandoffError: Error, Hashable, Sendable {
    /// The kinds of failure. An unknown code is kept, and treated like ``handoffFailed``.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public let rawValue: UInt32

        /// Creates a code from its number on the wire.
        ///
        /// The number 0, which is never sent, becomes ``handoffFailed``.
        public init(rawValue: UInt32) { self.rawValue = rawValue == 0 ? Self.handoffFailed.rawValue : rawValue }

        /// The hand-over failed for a reason that no other code names.
        public static let handoffFailed = Code(rawValue: 1)
        /// The other device cannot be reached, or has left.
        public static let connectionUnavailable = Code(rawValue: 2)
        /// The app on the other device did not answer in time.
        public static let remoteApplicationTimedOut = Code(rawValue: 3)
        /// The activity's userInfo is larger than 65,536 bytes once encoded.
        public static let userInfoTooLarge = Code(rawValue: 4)
        /// The user cancelled the hand-over.
        public static let userCancelled = Code(rawValue: 5)
        /// The activity no longer exists.
        public static let noSuchActivity = Code(rawValue: 6)
        /// The activity does not support continuation streams, or no app receives them.
        public static let streamsUnsupported = Code(rawValue: 7)
        /// A limit of this or the other device was reached. A later attempt may succeed.
        public static let busy = Code(rawValue: 8)
        /// The activity cannot be sent, because a value or a property is outside the protocol's
        /// limits.
        public static let invalidActivity = Code(rawValue: 9)
    }

    /// The maximum length of a text on the wire, in UTF-8 bytes. Longer texts are cut.
    public static let maximumMessageLength = 512

    /// The kind of failure.
    public var code: Code
    /// The reason. `Wording` has the sentence for users, and what they can do.
    public let reason: Reason
    /// The text from the other device, only for logs; nil if this device detected the failure.
    public let told: String?
    /// The cause on this device, which is never sent.
    public var cause: String?
    /// Whether the other device closed the channel instead of answering. This flag is never sent.
    public var isHangUp = false
    /// Whether nothing was tried, because this device had no free file descriptor. This flag is
    /// never sent.
    public var isUntried = false
    /// Whether the other device was dialled and did not answer in time. This flag is never sent.
    public var isUnanswered = false

    /// Creates the failure of a hand-over.
    public init(_ code: Code, _ failure: FailureCode, _ values: [String: Reason.Value] = [:], cause: String? = nil) {
        self.code = code
        reason = Reason(failure, values)
        told = nil
        self.cause = cause
    }

    /// Creates the failure that another device reports. The code determines the reason.
    package init(_ code: Code, told: String) {
        self.code = code
        reason = Reason(code.failure)
        self.told = told
    }

    /// A description of the failure in one line of English, for logs and for the other device.
    public var message: String { told ?? reason.failure?.meaning ?? reason.code }
}

extension HandoffError.Code {
    /// The reason to show if another device reports this code.
    fileprivate var failure: FailureCode {
        switch self {
        case .connectionUnavailable: .laptopUnavailable
        case .remoteApplicationTimedOut: .laptopAppSilent
        case .userInfoTooLarge: .contentsTooLarge
        case .userCancelled: .stopped
        case .noSuchActivity: .activityEnded
        case .streamsUnsupported: .streamsUnsupported
        case .busy: .laptopBusy
        case .invalidActivity: .contentsUnsendable
        default: .handoverFailed
        }
    }
}

extension HandoffError.Code: CustomStringConvertible {
    /// The meaning of the code, in a few words.
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
    /// The message, and the cause if there is one.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
