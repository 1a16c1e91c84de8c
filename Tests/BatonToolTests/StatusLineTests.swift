// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import baton

@Suite struct StatusLineTests {
    /// Returns the output that a closure causes.
    private func written(_ body: (StatusLine, Output) throws -> Void) throws -> String {
        let pipe = Pipe()
        let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "a pipe")
        try body(StatusLine(output), output)
        try pipe.fileHandleForWriting.close()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test("The line is rewritten, is cleared before other lines, and is finally removed")
    func rewritten() throws {
        let text = try written { line, output in
            line.show(nil)
            line.show("1")
            line.show("2")
            try line.makeWay { try output.line("other") }
            line.show(nil)
            try line.makeWay { try output.line("later") }
        }
        #expect(text == "1\r\u{1B}[K2\r\u{1B}[Kother\n2\r\u{1B}[Klater\n")
    }

    @Test("The line returns after a failed print")
    func failure() throws {
        let text = try written { line, _ in
            line.show("1")
            #expect(throws: CancellationError.self) { try line.makeWay { throw CancellationError() } }
        }
        #expect(text == "1\r\u{1B}[K1")
    }

    @Test("The line leaves the last column free, and counts wide characters twice")
    func cut() {
        #expect(StatusLine.cut("abcdef", to: 7) == "abcdef")
        #expect(StatusLine.cut("abcdef", to: 6) == "abcde")
        #expect(StatusLine.cut("送信中abc", to: 6) == "送信")
        #expect(StatusLine.cut("送信中abc", to: 8) == "送信中a")
        #expect(StatusLine.cut("a\u{1B}b", to: 80) == "a\\u{1b}b")
        #expect(StatusLine.cut("ab", to: 0) == "")
    }
}
