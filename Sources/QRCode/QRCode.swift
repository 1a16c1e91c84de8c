// SPDX-License-Identifier: Apache-2.0

internal import CQREncode

/// A QR code (ISO/IEC 18004), and its picture for a terminal.
///
/// libqrencode encodes the code. Every distribution has this library, and there is no
/// well-maintained Swift library that works without graphics.
public struct QRCode: Hashable, Sendable {
    /// The number of modules on a side, 21 to 177, without the quiet zone.
    public let size: Int

    private let modules: [Bool]

    /// The width of the light margin that readers expect on every side, in modules.
    public static let quietZone = 4
    /// The longest text that a code can hold, in bytes.
    public static let maximumLength = 2_953

    /// The reason why no code was made.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        /// One line for people.
        public let description: String
    }

    /// Creates the smallest code for a text. Screens are clean, so the lowest error correction
    /// suffices.
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
        // The lowest bit of a module says whether it is dark. The other bits say what the module is
        // for.
        modules = (0..<side * side).map { data[$0] & 1 == 1 }
    }

    /// Returns whether a module is dark. Modules outside of the code are light.
    public func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    /// The number of characters in a line of ``lines()``.
    public var width: Int { size + 2 * Self.quietZone }

    /// Returns the code for a terminal with light text on a dark background, with its quiet zone.
    /// One character shows two modules, one above the other.
    public func lines() -> [String] {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            String(
                range.map { column in
                    // The last line may have only one row of modules.
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
