// SPDX-License-Identifier: Apache-2.0

/// Why something is as it is, for a person: a code, and named values. It is no text. The module
/// `Wording` has a sentence and advice for each code, in the language of the reader.
public struct Reason: Hashable, Sendable {
    /// A value that a sentence shows.
    public enum Value: Hashable, Sendable {
        /// A name, a path or another program's text. It is the same in each language.
        case text(String)
        /// How many there are.
        case count(Int)
        /// A point in time, in seconds since 1970.
        case time(Int64)
        /// A length of time.
        case duration(Duration)
    }

    /// The code. It has the same meaning in each version.
    public let code: String
    /// The values by the names of their places in the sentence.
    public let values: [String: Value]

    /// Creates a reason.
    public init(code: String, values: [String: Value] = [:]) {
        self.code = code
        self.values = values
    }
}

extension Reason.Value: ExpressibleByStringInterpolation {
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
}
