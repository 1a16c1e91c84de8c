// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Lines of bytes that come in pieces; of one that is too long nothing is kept.
struct LineSplitter {
    struct Line: Hashable {
        /// 1 for the first.
        let number: Int
        /// What stands in it, without its end; nil when that is too long.
        let text: Data?
    }

    private let limit: Int
    private var number = 1
    private var begun = Data()
    private var isTooLong = false

    /// - Parameter limit: How many bytes a line has at most.
    init(limit: Int) { self.limit = limit }

    /// Takes the next bytes.
    ///
    /// - Returns: The lines that they end.
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

    /// The last line, if it has begun and has no end.
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
