// SPDX-License-Identifier: Apache-2.0

import Foundation

extension UserActivity {
    /// Why a typed payload cannot be had; cases and meaning are those of Foundation's
    /// `NSUserActivity.TypedPayloadError`.
    public enum TypedPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
        /// ``UserActivity/userInfo`` lacks an entry of the payload, or has one of another type.
        case invalidContent
        /// The value cannot be encoded to a dictionary with strings for keys.
        case encodingError

        /// One line for people.
        public var description: String {
            switch self {
            case .invalidContent: "userInfo lacks an entry of the payload, or has one of another type"
            case .encodingError:
                "the payload does not encode to a dictionary: use a struct, or a dictionary with strings for keys"
            }
        }
    }

    /// Adds a value's properties to ``userInfo``, under their coding keys.
    ///
    /// Dates and data stay what they are; a property of type URL or UUID becomes what its own
    /// coding makes of it. The other side may read them as a payload or one by one, whatever its
    /// version.
    ///
    /// - Parameter payload: A value that encodes to a dictionary, as a struct does.
    /// - Throws: ``UserActivity/TypedPayloadError/encodingError``, or ``UserActivityError`` for
    ///   what is too large or nested too deeply.
    public func setTypedPayload<Payload: Codable>(_ payload: Payload) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(payload),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
            let dictionary = list as? [String: Any]
        else { throw TypedPayloadError.encodingError }
        try addUserInfoEntries(validated: dictionary)
    }

    /// Reads a value from ``userInfo``; entries that it does not know are passed over.
    ///
    /// - Parameter type: The value's type.
    /// - Returns: The value.
    /// - Throws: ``UserActivity/TypedPayloadError/invalidContent``.
    public func typedPayload<Payload: Codable>(_ type: Payload.Type) throws -> Payload {
        var dictionary: [String: Any] = [:]
        for (key, value) in currentState.userInfo {
            guard case .string(let name) = key, value.isPropertyList else { continue }
            dictionary[name] = value.foundationValue
        }
        do {
            let data = try PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0)
            return try PropertyListDecoder().decode(type, from: data)
        } catch {
            throw TypedPayloadError.invalidContent
        }
    }
}

extension UserInfoValue {
    /// Whether a property list can hold it.
    fileprivate var isPropertyList: Bool {
        switch self {
        case .bool, .int, .uint, .double, .string, .data, .date: true
        case .null, .uuid, .url, .set: false
        case .array(let elements): elements.allSatisfy(\.isPropertyList)
        case .dictionary(let pairs):
            pairs.allSatisfy { key, value in
                guard case .string = key else { return false }
                return value.isPropertyList
            }
        }
    }
}
