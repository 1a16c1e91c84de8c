// SPDX-License-Identifier: Apache-2.0

/// The reason why an activity, or a part of it, was rejected.
public struct UserActivityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. New kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The type is empty, too long or has invisible characters.
        ///
        /// The limit is ``ActivityState/maximumIdentifierLength`` UTF-8 bytes.
        public static let invalidType = Code("invalidType")
        /// A web page's address has a wrong scheme, no host, or an invalid port.
        public static let invalidWebpageURL = Code("invalidWebpageURL")
        /// A value in `userInfo` cannot be sent, or contains NaN in a key or a member of a set.
        public static let unsupportedValue = Code("unsupportedValue")
        /// Containers in `userInfo` are nested deeper than ``UserInfoValue/maximumDepth``.
        public static let tooDeep = Code("tooDeep")
        /// A line in the configuration of shared folders is invalid, or the file cannot be read.
        public static let invalidFolder = Code("invalidFolder")

        /// The code's name.
        public var description: String { name }
    }

    /// The kind of failure.
    public let code: Code
    /// The activity's invalid property, such as `userInfo`.
    public let property: String
    /// The place of the fault in the property, such as `["draft"][3]`. The path is empty if the
    /// whole property is at fault.
    public let path: String
    /// A description of the fault, as a sentence without its subject.
    public let message: String

    /// Creates a failure at a place.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - property: The activity's invalid property.
    ///   - path: The position of the fault in the property.
    ///   - message: A description of the fault, as a sentence without its subject.
    public init(code: Code, property: String, path: String = "", message: String) {
        self.code = code
        self.property = property
        self.path = path
        self.message = message
    }

    /// The fault and its position, as one sentence.
    public var description: String { "\(property)\(path) \(message)" }
}
