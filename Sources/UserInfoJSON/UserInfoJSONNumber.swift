// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Doubles in typed JSON: plain where a JSON number can only be read as this double, tagged
/// elsewhere.
enum UserInfoJSONNumber {
    /// A double's node, the tag included where one is needed.
    static func node(_ value: Double) -> JSONNode {
        let content = content(value)
        // A number without a fraction would be read as an integer if it fits one.
        guard case .double = content, Int64(exactly: value) == nil, UInt64(exactly: value) == nil else {
            return .object([UserInfoJSON.Tag.double.rawValue: content])
        }
        return content
    }

    /// What stands behind `$double`.
    static func content(_ value: Double) -> JSONNode {
        if value.isNaN { return .string("NaN") }
        if value.isInfinite { return .string(value < 0 ? "-inf" : "inf") }
        if value == 0, value.sign == .minus { return .string("-0") }
        return .double(value)
    }

    /// Reads what stands behind `$double`.
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
