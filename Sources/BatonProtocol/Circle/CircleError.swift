// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// The reason why data or a change of a circle was rejected.
public struct CircleError: Error, Hashable, Sendable {
    /// The kinds of rejection. New kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The bytes are invalid.
        public static let malformed = Code("malformed")
        /// A signature, digest or identity does not match.
        public static let untrusted = Code("untrusted")
        /// A limit of the protocol was reached.
        public static let limitReached = Code("limit reached")
        /// The invitation has expired.
        public static let expired = Code("expired")
    }

    /// The kind of rejection.
    public var code: Code
    /// A description of the rejection, in one line.
    public var message: String
    /// The reason for people.
    public var explanation = Reason(.dataInvalid)

    static func malformed(_ what: String) -> CircleError { CircleError(code: .malformed, message: "malformed \(what)") }
    /// Returns the error for a state file that cannot be read.
    static func stateFile(_ what: String, _ reason: Reason = Reason(.stateContents)) -> CircleError {
        CircleError(code: .malformed, message: "malformed state file: \(what)", explanation: reason)
    }
    static func untrusted(_ what: String) -> CircleError { CircleError(code: .untrusted, message: what) }
    static func limitReached(
        _ what: String, _ failure: FailureCode, _ values: [String: Reason.Value] = [:]
    ) -> CircleError {
        CircleError(code: .limitReached, message: what, explanation: Reason(failure, values))
    }
}

extension CircleError: ExplainedError {}

extension CircleError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
