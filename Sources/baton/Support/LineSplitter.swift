// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Splits bytes that arrive in pieces into lines. The bytes of a line that is too long are dropped.
struct LineSplitter {
    struct Line: Hashable {
        /// The line's number, beginning with 1.
        let number: Int
        /// The line without its end, or `nil` if it is too long.
        let text: Data?
    }

    private let limit: Int
    private var number = 1
    private var begun = Data()
    private var isTooLong = false

    /// Creates a splitter.
    ///
    /// - Parameter limit: The largest size of a line, in bytes.
    init(limit: Int) { self.limit = limit }

    /// Takes the next bytes.
    ///
    /// - Returns: The lines that are complete now.
    mutating func take(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            lines.append(endLine())
            rest = rest[rest.index(after: end)...]
        }
        append(rest)
        return lines
    }

    /// Returns the rest after the last line end, or `nil` if there is none.
    mutating func finish() -> Line? { begun.isEmpty && !isTooLong ? nil : endLine() }

    private mutating func append(_ bytes: some Collection<UInt8>) {
        isTooLong = isTooLong || begun.count + bytes.count > limit
        if isTooLong { begun = Data() } else { begun.append(contentsOf: bytes) }
    }

    private mutating func endLine() -> Line {
        defer { (number, begun, isTooLong) = (number + 1, Data(), false) }
        return Line(number: number, text: isTooLong ? nil : begun)
    }
}
