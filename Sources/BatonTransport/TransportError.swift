// SPDX-License-Identifier: Apache-2.0

/// The reason why a transport failed.
public struct TransportError: Error, Hashable, Sendable {
    /// A kind of failure. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// No peer answers at the endpoint, or none answers in time.
        public static let unreachable = Code("unreachable")
        /// The peer was heard, but a packet was lost before the connection was complete.
        public static let missed = Code("missed")
        /// The adapter is off, absent or not managed.
        public static let radioUnavailable = Code("radio unavailable")
        /// The link is broken, and must be dropped before another channel can be opened.
        ///
        /// For example, the kernel refused an SDU below the announced MTU.
        public static let brokenLink = Code("broken link")
        /// The request can never succeed, for example because an address is malformed or a payload
        /// too large.
        public static let invalidArgument = Code("invalid argument")
        /// A limit of this machine was reached.
        public static let resourceExhausted = Code("resource exhausted")
    }

    /// The kind of failure.
    public var code: Code
    /// A description of the failure, and what to do about it, in one line.
    public var message: String
    /// The system's cause: an errno name or a D-Bus error name.
    public var cause: String?
    /// The system's error number, if a system call failed.
    public var errno: CInt?

    /// Creates a failure of a transport.
    public init(_ code: Code, _ message: String, cause: String? = nil, errno: CInt? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        self.errno = errno
    }
}

extension TransportError: CustomStringConvertible {
    /// The message, followed by the cause if there is one.
    public var description: String { cause.map { "\(message) (\($0))" } ?? message }
}
