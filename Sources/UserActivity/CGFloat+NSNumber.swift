// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// `as? CGFloat` finds a number in a userInfo, as it does on Apple's systems: of Swift's numbers
/// this is the only one that Foundation on Linux cannot cast an `NSNumber` to.
// swift-format-ignore: NoLeadingUnderscores
extension CGFloat: @retroactive _ObjectiveCBridgeable {
    /// The number.
    public func _bridgeToObjectiveC() -> NSNumber { NSNumber(value: Double(self)) }

    /// The number, which a `CGFloat` can hold.
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) {
        result = CGFloat(source.doubleValue)
    }

    /// The number, if a `CGFloat` can hold it exactly.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout CGFloat?) -> Bool {
        result = Double(exactly: source).map { CGFloat($0) }
        return result != nil
    }

    /// The number; 0 without one.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> CGFloat {
        CGFloat(source?.doubleValue ?? 0)
    }
}
