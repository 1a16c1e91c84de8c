// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import baton

@Suite struct LineSplitterTests {
    private func lines(_ text: String, in pieces: Int, limit: Int = 100) -> [String?] {
        var splitter = LineSplitter(limit: limit)
        let bytes = Array(text.utf8)
        var lines: [LineSplitter.Line] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            lines += splitter.take(bytes[start..<min(start + pieces, bytes.count)])
        }
        if let last = splitter.finish() { lines.append(last) }
        #expect(lines.map(\.number) == Array(1..<(lines.count + 1)))
        return lines.map { line in line.text.map { String(decoding: $0, as: UTF8.self) } }
    }

    @Test("Lines are the same whatever the pieces in which they arrive", arguments: [1, 2, 3, 100])
    func linesHoweverTheyCome(pieces: Int) {
        #expect(lines("one\n\nthrée\nlast", in: pieces) == ["one", "", "thrée", "last"])
        #expect(lines("one\n", in: pieces) == ["one"])
        #expect(lines("", in: pieces) == [])
    }

    @Test("A line that is too long is reported once, and the next one is complete", arguments: [1, 4, 100])
    func lineTooLongIsToldOnce(pieces: Int) {
        #expect(lines("12345\n123456\nabc\n1234567", in: pieces, limit: 5) == ["12345", nil, "abc", nil])
    }

    @Test("A line that is too long takes no memory")
    func nothingKeptOfALongLine() {
        var splitter = LineSplitter(limit: 1_000)
        let piece = [UInt8](repeating: 65, count: 1_001)
        for _ in 0..<1_000 { #expect(splitter.take(piece).isEmpty) }
        #expect(splitter.take([10]) == [LineSplitter.Line(number: 1, text: nil)])
        #expect(splitter.finish() == nil)
    }
}
