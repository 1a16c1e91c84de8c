// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes `as? CGFloat` work on numbers in a userInfo, as it does on Apple's systems.
///
/// `CGFloat` is the only number type of Swift that Foundation on Linux cannot cast an `NSNumber`
/// to.
// swift-format-ignore: NoLeadingUnderscores
extension CGFloat: @retroactive _ObjectiveCBridgeable {
    /// Returns the number as an `NSNumber`.
    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

    /// Converts a number that is known to fit.
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
        result = CGFloat(source.doubleValue)
    }

    /// Converts a number if a `CGFloat` can hold it exactly.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) -> Bool {
        result = Double(exactly: source).map { CGFloat($0) }
        return result != nil
    }

    /// Converts a number. Returns 0 for nil.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> CGFloat {
        CGFloat(source?.doubleValue ?? 0)
    }
}
