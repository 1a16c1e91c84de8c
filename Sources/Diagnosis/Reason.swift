// SPDX-License-Identifier: Apache-2.0

/// The reason for a state or a failure: a code and named values. The module `Wording` makes a
/// sentence and advice from it, in the reader's language.
public struct Reason: Hashable, Sendable {
    /// A value that a sentence shows.
    public enum Value: Hashable, Sendable {
        /// A name, a path or another program's text. Such a text is not translated.
        case text(String)
        /// A number, such as a count of bytes.
        case count(Int)
        /// A point in time, in seconds since 1970.
        case time(Int64)
        /// A length of time.
        case duration(Duration)
        /// Several names, in this order.
        case list([String])
        /// Another reason, such as why an operation failed. A sentence shows it in parentheses.
        case reason(Reason)
    }

    /// The code, which has the same meaning in each version.
    public let code: String
    /// The values by the names of their placeholders in the sentence.
    public let values: [String: Value]

    /// Creates a reason.
    public init(code: String, values: [String: Value] = [:]) {
        self.code = code
        self.values = values
    }

    /// Creates the reason of a failure.
    public init(_ failure: FailureCode, _ values: [String: Value] = [:]) {
        self.init(code: failure.rawValue, values: values)
    }

    /// The kind of failure, or `nil` if the reason is not a failure that this version knows.
    public var failure: FailureCode? { FailureCode(rawValue: code) }

    /// Returns the reason with one more value. Keeps the value that the reason already has under
    /// this name, if any.
    public func with(_ name: String, _ value: Value) -> Reason {
        Reason(code: code, values: values.merging([name: value]) { own, _ in own })
    }
}

/// An error whose description is for the log, with a reason for people.
public protocol ExplainedError: Error {
    /// The reason, which `Wording` has words for.
    var explanation: Reason { get }
}

extension Reason.Value: ExpressibleByStringInterpolation {
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
}
