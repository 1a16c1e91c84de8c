// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Reads and writes doubles in typed JSON.
///
/// A double is written as a plain JSON number if that is read back as the same double, and with a
/// tag if not.
enum UserInfoJSONNumber {
    /// Returns a double's node, with a tag if the double needs one.
    static func node(_ value: Double) -> JSONNode {
        let content = content(value)
        // A number without a fraction needs the tag, because without it the number would be read as
        // an integer.
        guard case .double = content, Int64(exactly: value) == nil, UInt64(exactly: value) == nil else {
            return .object([UserInfoJSON.Tag.double.rawValue: content])
        }
        return content
    }

    /// Returns the content after `$double`.
    static func content(_ value: Double) -> JSONNode {
        if value.isNaN { return .string("NaN") }
        if value.isInfinite { return .string(value < 0 ? "-inf" : "inf") }
        if value == 0, value.sign == .minus { return .string("-0") }
        return .double(value)
    }

    /// Reads the content after `$double`.
    static func double(_ content: JSONNode) -> Double? {
        switch content {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        case .string("NaN"): .nan
        case .string("inf"): .infinity
        case .string("-inf"): -.infinity
        case .string("-0"): -0.0
        default: nil
        }
    }
}
