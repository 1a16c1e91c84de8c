// SPDX-License-Identifier: Apache-2.0

/// Why something about a circle was refused.
public struct CircleError: Error, Hashable, Sendable {
    /// The kinds of refusal; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Bytes that are not what they should be.
        public static let malformed = Code("malformed")
        /// A signature, digest or identity that does not fit.
        public static let untrusted = Code("untrusted")
        /// A limit of the protocol was reached.
        public static let limitReached = Code("limit reached")
        /// An invitation that is over.
        public static let expired = Code("expired")
    }

    /// What kind of refusal it is.
    public var code: Code
    /// What was refused, in one line.
    public var message: String

    static func malformed(_ what: String) -> CircleError { CircleError(code: .malformed, message: "malformed \(what)") }
    static func untrusted(_ what: String) -> CircleError { CircleError(code: .untrusted, message: what) }
    static func limitReached(_ what: String) -> CircleError { CircleError(code: .limitReached, message: what) }
}

extension CircleError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
