// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger where Self: UnsignedInteger {
    /// Returns the number in lower-case hexadecimal digits, with leading zeros.
    ///
    /// - Parameter digits: The minimum number of digits; by default the most that the type can
    ///   need.
    package func hexadecimal(digits: Int = Self.bitWidth / 4) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
}

extension String {
    /// Whether the text has the form of a device's id: eight hexadecimal digits in either case.
    package var isDeviceID: Bool {
        utf8.count == 8 && utf8.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
    }
}

extension Sequence<UInt8> {
    /// The bytes as two lower-case hexadecimal digits each.
    package var hexadecimal: String { map { $0.hexadecimal() }.joined() }
}
