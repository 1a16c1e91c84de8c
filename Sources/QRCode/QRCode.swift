// SPDX-License-Identifier: Apache-2.0

internal import CQREncode

/// A QR code (ISO/IEC 18004), and how it looks in a terminal.
///
/// libqrencode encodes it: every distribution has that library, and there is no well-kept one in
/// Swift without graphics.
public struct QRCode: Hashable, Sendable {
    /// How many modules a side has, from 21 to 177; the quiet zone is not among them.
    public let size: Int

    private let modules: [Bool]

    /// The modules of light margin that readers expect on every side.
    public static let quietZone = 4
    /// The longest text that any code holds, in bytes.
    public static let maximumLength = 2_953

    /// Why there is no code.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        /// One line for people.
        public let description: String
    }

    /// The smallest code that holds a text, with the lowest error correction: screens are clean.
    ///
    /// - Throws: ``Failure`` when the text is empty or longer than ``maximumLength``.
    public init(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count),
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L)
        else {
            throw Failure(description: "a QR code holds 1 to \(Self.maximumLength) bytes, not \(bytes.count)")
        }
        defer { QRcode_free(code) }
        let side = Int(code.pointee.width)
        guard side > 0, let data = code.pointee.data else {
            throw Failure(description: "libqrencode made no code")
        }
        size = side
        // The lowest bit says dark; the others say what a module is for.
        modules = (0..<side * side).map { data[$0] & 1 == 1 }
    }

    /// Whether a module is dark; what lies outside of the code is not.
    public func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    /// How many characters a line of ``lines()`` has.
    public var width: Int { size + 2 * Self.quietZone }

    /// The code for a terminal that writes light on dark, with its quiet zone: two modules above
    /// each other are one character.
    public func lines() -> [String] {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            String(
                range.map { column in
                    // Below the last row there is nothing to draw.
                    let lower = row + 1 < range.upperBound && !isDark(row: row + 1, column: column)
                    return switch (!isDark(row: row, column: column), lower) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }
}
