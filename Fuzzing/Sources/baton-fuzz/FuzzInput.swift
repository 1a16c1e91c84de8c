// SPDX-License-Identifier: Apache-2.0

/// An input, read from its front.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    /// Reads a byte, or 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Reads up to `count` bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }

    /// Reads eight bytes as a number, with zeros for missing bytes.
    mutating func number() -> UInt64 { (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) } }

    /// Reads the rest.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }

    /// Reads a piece: a length of two bytes, then its contents.
    mutating func piece() -> [UInt8] {
        let length = Int(byte()) << 8 | Int(byte())
        return bytes(length)
    }

    /// Reads the rest as pieces.
    mutating func pieces() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while !isEmpty { pieces.append(piece()) }
        return pieces
    }

    /// Returns the input that ``piece()`` reads as these bytes.
    static func piece(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }

    /// Returns the input that ``pieces()`` reads as these pieces.
    static func pieces(_ pieces: [[UInt8]]) -> [UInt8] { pieces.flatMap(piece) }
}
