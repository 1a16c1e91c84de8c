// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads a file of Tests/Vectors. The README there says where each file comes from.
func vectors<Contents: Decodable>(_ name: String, as type: Contents.Type) throws -> Contents {
    let file = URL(filePath: #filePath).appending(path: "../../../Vectors/\(name)").standardized
    return try JSONDecoder().decode(type, from: Data(contentsOf: file))
}

/// Bytes in hexadecimal, as in the vectors.
struct Hex: Decodable, Equatable {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let digits = Array(try container.decode(String.self).utf8)
        bytes = try stride(from: 0, to: digits.count, by: 2).map { index in
            let pair = String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self)
            guard pair.count == 2, let byte = UInt8(pair, radix: 16) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
            }
            return byte
        }
    }
}

/// A generator with a seed (SplitMix64), so that a failing random test can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
