// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts between typed values and the contents of an app's `[AnyHashable: Any]`.
extension UserInfoValue {
    /// Reads a value of a supported Swift type, or of the Foundation class with the same meaning.
    ///
    /// Integers of every width become an integer. `Float`, `Double`, `CGFloat` and `Decimal` become
    /// a double. An `NSNumber` keeps booleans, integers and doubles apart. An optional becomes its
    /// content, or null if it is nil (SE-0140). Source: requirements 28 and 29.
    ///
    /// - Parameter any: A Boolean, number, string, data, date, UUID, URL or null, or an array, set
    ///   or dictionary of these.
    /// - Throws: ``UserActivityError`` with `unsupportedValue` or `tooDeep`, naming the place
    ///   inside `any`.
    public init(_ any: Any) throws { try self.init(any, path: "", room: Self.maximumDepth) }

    /// This value as an app expects it in a `[AnyHashable: Any]`.
    ///
    /// Booleans and numbers become `NSNumber`, which casts to every type that can hold the value.
    /// Null becomes `NSNull`, an array `[Any]`, a set `Set<AnyHashable>` and a dictionary
    /// `[AnyHashable: Any]`. A number that is a key becomes an `Int`, `UInt64` or `Double`, so that
    /// lookups find it. Foundation treats some different keys or members as equal, such as the
    /// integer 1 and the double 1.0. Here they become one key or member, although the typed value
    /// keeps both.
    public var foundationValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .uint(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .array(let elements): elements.map(\.foundationValue)
        case .set(let elements): Set(elements.map(\.member))
        case .dictionary(let pairs): Self.foundationDictionary(pairs)
        }
    }

    /// Returns a dictionary as an app expects it.
    ///
    /// - Parameter pairs: The typed dictionary.
    /// - Returns: The same entries, converted by ``foundationValue``.
    public static func foundationDictionary(_ pairs: UserInfo) -> [AnyHashable: Any] {
        Dictionary(pairs.map { ($0.key.key, $0.value.foundationValue) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads an app's dictionary into a typed dictionary.
    ///
    /// - Parameter dictionary: Keys and values of supported types.
    /// - Returns: The typed dictionary.
    /// - Throws: ``UserActivityError`` with `unsupportedValue` or `tooDeep`, naming the key.
    public static func userInfo(from dictionary: [AnyHashable: Any]) throws -> UserInfo {
        let value = try UserInfoValue(dictionary as Any, path: "", room: maximumDepth + 1)
        guard case .dictionary(let pairs) = value else { return [:] }
        return pairs
    }

    /// This value as a member of a set.
    private var member: AnyHashable { foundationValue as? AnyHashable ?? key }

    /// This value as a key.
    ///
    /// On Linux an NSNumber's hash differs from the number's, so numbers stay Swift types.
    private var key: AnyHashable {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .int(let value): Int(exactly: value).map { AnyHashable($0) } ?? AnyHashable(value)
        case .uint(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .array(let elements): elements.map(\.key)
        case .set(let elements): Set(elements.map(\.key))
        case .dictionary(let pairs):
            Dictionary(pairs.map { ($0.key.key, $0.value.key) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Reads the value at a place inside userInfo.
    ///
    /// - Parameter room: The number of containers that may still be nested here.
    private init(_ any: Any, path: String, room: Int) throws {
        if let wrapped = any as? AnyHashable, type(of: any) == AnyHashable.self {
            try self.init(wrapped.base, path: path, room: room)
        } else if let optional = any as? any OptionalValue {
            guard let value = optional.value else {
                self = .null
                return
            }
            try self.init(value, path: path, room: room)
        } else if let scalar = Self.scalar(any) {
            self = scalar
        } else if room == 0 {
            throw UserActivityError(
                code: .tooDeep, property: "userInfo", path: path,
                message: "stands deeper than \(Self.maximumDepth) containers")
        } else if let elements = any as? [Any] {
            self = .array(
                try elements.enumerated().map { index, element in
                    try UserInfoValue(element, path: path + "[\(index)]", room: room - 1)
                })
        } else if let elements = any as? Set<AnyHashable> {
            self = .set(Set(try elements.map { try Self.lookup($0.base, path: path + "{}", room: room - 1) }))
        } else if let pairs = any as? [AnyHashable: Any] {
            var typed: UserInfo = [:]
            for (key, value) in pairs {
                let place = path + "[\(Self.quoted(key.base))]"
                let typedKey = try Self.lookup(key.base, path: place, room: room - 1)
                typed[typedKey] = try UserInfoValue(value, path: place, room: room - 1)
            }
            self = .dictionary(typed)
        } else {
            throw UserActivityError(
                code: .unsupportedValue, property: "userInfo", path: path,
                message: "is of type \(type(of: any)), which cannot travel")
        }
    }

    /// Reads a member of a set or a key, and throws if lookups could not find it.
    private static func lookup(_ any: Any, path: String, room: Int) throws -> UserInfoValue {
        let value = try UserInfoValue(any, path: path, room: room)
        if let reason = value.reasonAgainstLookup {
            throw UserActivityError(code: .unsupportedValue, property: "userInfo", path: path, message: reason)
        }
        return value
    }

    /// Returns a value that contains no other value, or nil if `any` is no such value.
    private static func scalar(_ any: Any) -> UserInfoValue? {
        // Check classes first, because Swift's casts would take an NSNumber of 1 for a Bool.
        if type(of: any) is AnyClass { return classScalar(any) }
        switch any {
        case let value as Bool: return .bool(value)
        case let value as Double: return .double(value)
        case let value as Float: return .double(Double(value))
        case let value as CGFloat: return .double(Double(value))
        case let value as Decimal: return .double(NSDecimalNumber(decimal: value).doubleValue)
        case let value as any BinaryInteger:
            if let signed = Int64(exactly: value) { return .int(signed) }
            return UInt64(exactly: value).map { .uint($0) }
        case let value as String: return .string(value)
        case let value as Data: return .data(value)
        case let value as Date: return .date(value)
        case let value as UUID: return .uuid(value)
        case let value as URL: return .url(value)
        default: return nil
        }
    }

    private static func classScalar(_ any: Any) -> UserInfoValue? {
        switch any {
        case is NSNull: return .null
        case let number as NSNumber: return self.number(number)
        case let value as NSString: return .string(String(describing: value))
        case let value as NSData: return .data(Data(referencing: value))
        case let value as NSDate:
            return .date(Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate))
        case let value as NSUUID: return (value as Any as? UUID).map { .uuid($0) }
        case let value as NSURL: return (value as Any as? URL).map { .url($0) }
        default: return nil
        }
    }

    /// Distinguishes booleans, doubles and integers by the number's Objective-C type.
    private static func number(_ number: NSNumber) -> UserInfoValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        // On Linux only a Boolean reports "c", because NSNumber widens 8-bit integers.
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(number.doubleValue)
        case UInt8(ascii: "Q"): .integer(number.uint64Value)
        default: .int(number.int64Value)
        }
    }

    private static func quoted(_ key: Any) -> String {
        (key as? String).map { "\"\($0)\"" } ?? (try? UserInfoValue(key))?.name ?? "\(type(of: key))"
    }
}

/// Any optional, whatever type it wraps.
private protocol OptionalValue {
    /// The wrapped value, or nil.
    var value: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var value: Any? { map { $0 as Any } }
}
