// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a frame, or a frame cannot be bytes.
public struct WireError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// A length of zero.
        public static let empty = Code("empty frame")
        /// A length above the limit.
        public static let oversize = Code("oversize frame")
        /// Not the encoding of a frame.
        public static let unparsable = Code("unparsable frame")
        /// A field outside of its limits, absent though needed, or not in its one form.
        public static let invalidField = Code("invalid field")
        /// More than 65,536 bytes of userInfo.
        public static let userInfoTooLarge = Code("userInfo too large")
    }

    /// What kind of failure it is.
    public var code: Code
    /// Which field or rule, in one line.
    public var message: String

    /// A failure of the codec.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension WireError: CustomStringConvertible {
    /// The kind and the message, for logs.
    public var description: String { "\(code): \(message)" }
}
