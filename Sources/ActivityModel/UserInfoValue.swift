// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One value of an activity's `userInfo`, of the types that Apple's documents allow.
///
/// An integer has only one form: ``int(_:)`` if the value fits, and ``uint(_:)`` above `Int64.max`.
/// Create integers with ``integer(_:)-(Int64)`` or ``integer(_:)-(UInt64)``. Booleans and doubles
/// are never confused with integers. Source: Apple's Handoff Programming Guide, "Populating the
/// Activity Object's User Info Dictionary" (requirements 26 to 29).
public indirect enum UserInfoValue: Hashable, Codable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case uuid(UUID)
    case url(URL)
    case array([UserInfoValue])
    case set(Set<UserInfoValue>)
    case dictionary([UserInfoValue: UserInfoValue])

    /// Returns the canonical form of a signed integer.
    public static func integer(_ value: Int64) -> UserInfoValue { .int(value) }

    /// Returns the canonical form of an unsigned integer: `int` if it fits.
    public static func integer(_ value: UInt64) -> UserInfoValue {
        Int64(exactly: value).map { .int($0) } ?? .uint(value)
    }

    /// The number of containers on the longest path through this value, or 0 for a scalar.
    public var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .set(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .dictionary(let pairs): 1 + (pairs.map { max($0.key.depth, $0.value.depth) }.max() ?? 0)
        default: 0
        }
    }
}

/// The dictionary with the state that an activity sends to the other device.
///
/// Keys are usually strings, but may be any ``UserInfoValue``.
public typealias UserInfo = [UserInfoValue: UserInfoValue]

extension UserInfoValue: ExpressibleByStringLiteral {
    /// Creates a string value.
    public init(stringLiteral value: String) { self = .string(value) }
}
