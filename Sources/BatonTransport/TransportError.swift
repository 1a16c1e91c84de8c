// SPDX-License-Identifier: Apache-2.0

/// Why a transport could not do what it was asked.
public struct TransportError: Error, Hashable, Sendable {
    /// The kinds of failure; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Nobody answers there, or not in time.
        public static let unreachable = Code("unreachable")
        /// The adapter is off, absent or not managed.
        public static let radioUnavailable = Code("radio unavailable")
        /// The link broke in a way that only dropping it repairs (an SDU refused below the
        /// announced MTU).
        public static let brokenLink = Code("broken link")
        /// The request can never be met: a malformed address, an oversized payload.
        public static let invalidArgument = Code("invalid argument")
        /// A limit of this machine was reached.
        public static let resourceExhausted = Code("resource exhausted")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What failed and what to do, in one line.
    public var message: String
    /// The cause as the system gave it: an errno name or a D-Bus error name.
    public var cause: String?

    /// A failure of a transport.
    public init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension TransportError: CustomStringConvertible {
    /// The message, with the cause when there is one.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
