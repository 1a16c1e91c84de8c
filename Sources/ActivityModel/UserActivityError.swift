// SPDX-License-Identifier: Apache-2.0

/// Why an activity, or a part of it, was refused.
public struct UserActivityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure this is; new kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The type is empty, longer than ``ActivityState/maximumIdentifierLength`` UTF-8 bytes, or
        /// has characters that cannot be seen.
        public static let invalidType = Code("invalidType")
        /// A web page's address has another scheme than `http` or `https`, or no host.
        public static let invalidWebpageURL = Code("invalidWebpageURL")
        /// A value in `userInfo` is of a type that cannot travel, or is a key or a member of a set
        /// and has a NaN.
        public static let unsupportedValue = Code("unsupportedValue")
        /// Containers in `userInfo` stand deeper inside each other than
        /// ``UserInfoValue/maximumDepth``.
        public static let tooDeep = Code("tooDeep")
        /// A line of the configuration of shared folders says nothing that can be understood.
        public static let invalidFolder = Code("invalidFolder")

        /// The code's name.
        public var description: String { name }
    }

    /// What kind of failure this is.
    public let code: Code
    /// The property of the activity that is at fault, such as `userInfo`.
    public let property: String
    /// Where in the property the fault is, such as `["draft"][3]`; empty when it is the property
    /// itself.
    public let path: String
    /// What is wrong, as a sentence without its subject.
    public let message: String

    /// A failure at a place.
    ///
    /// - Parameters:
    ///   - code: What kind of failure this is.
    ///   - property: The property of the activity that is at fault.
    ///   - path: Where in the property the fault is.
    ///   - message: What is wrong, as a sentence without its subject.
    public init(code: Code, property: String, path: String = "", message: String) {
        self.code = code
        self.property = property
        self.path = path
        self.message = message
    }

    /// What is wrong, and where, as one sentence.
    public var description: String { "\(property)\(path) \(message)" }
}
