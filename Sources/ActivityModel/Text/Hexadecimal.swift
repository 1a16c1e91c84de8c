// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number in lower-case hexadecimal digits, with zeros before it.
    ///
    /// - Parameter digits: How many digits there are at least; all that the type can have, unless
    ///   another number is given.
    package func hexadecimal(digits: Int = Self.bitWidth / 4) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
}

extension String {
    /// Whether it has the form of a device's id: eight hexadecimal digits, in capitals or not.
    package var isDeviceID: Bool {
        utf8.count == 8 && utf8.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String { map { $0.hexadecimal() }.joined() }
}
