// SPDX-License-Identifier: Apache-2.0

/// An input, taken from its front.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    /// The next byte; 0 when there is none.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next bytes, as many as there are.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }

    /// The next eight bytes as a number; zeros where there are none.
    mutating func number() -> UInt64 { (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) } }

    /// All that is left.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }

    /// The next piece: its length is in the two bytes before it.
    mutating func piece() -> [UInt8] {
        let length = Int(byte()) << 8 | Int(byte())
        return bytes(length)
    }

    /// All that is left, in pieces.
    mutating func pieces() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while !isEmpty { pieces.append(piece()) }
        return pieces
    }

    /// What ``piece()`` reads as this.
    static func piece(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }

    /// What ``pieces()`` reads as these.
    static func pieces(_ pieces: [[UInt8]]) -> [UInt8] { pieces.flatMap(piece) }
}
