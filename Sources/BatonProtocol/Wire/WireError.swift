// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// The reason why bytes are not a valid frame, or a frame cannot be encoded.
public struct WireError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The length is zero.
        public static let empty = Code("empty frame")
        /// The length exceeds the limit.
        public static let oversize = Code("oversize frame")
        /// The bytes do not encode a frame.
        public static let unparsable = Code("unparsable frame")
        /// A field exceeds its limits, is missing, or is not in canonical form.
        public static let invalidField = Code("invalid field")
        /// The userInfo has more than 65,536 bytes.
        public static let userInfoTooLarge = Code("userInfo too large")
    }

    /// The kind of failure.
    public var code: Code
    /// The field or the rule, in one line.
    public var message: String
    /// The reason for people, such as the developer of an app whose activity cannot be sent.
    public let explanation: Reason

    /// Creates a failure.
    public init(_ code: Code, _ message: String, _ explanation: Reason = Reason(.activityForm)) {
        self.code = code
        self.message = message
        self.explanation = explanation
    }

    /// Creates a failure of one property of an activity, or of one field of a frame.
    init(
        _ code: Code = .invalidField, about name: String, _ message: String, _ failure: FailureCode,
        _ values: [String: Reason.Value] = [:]
    ) {
        self.init(code, "\(name)\(message)", Reason(failure, values).with("argument", .text(name)))
    }
}

extension WireError: ExplainedError {}

extension WireError: CustomStringConvertible {
    /// The kind and the message, for logs.
    public var description: String { "\(code): \(message)" }
}
