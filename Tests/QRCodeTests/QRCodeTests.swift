// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import QRCode
import Testing

@Suite(.timeLimit(.minutes(5))) struct QRCodeTests {
    @Test("zbar reads the code that a terminal shows", arguments: [1, 20, 200, 300, 700, 1_400])
    func readBack(length: Int) async throws {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=:-")
        let text = String((0..<length).map { alphabet[($0 * 7 + length) % alphabet.count] })
        let code = try QRCode(text)
        let lines = code.lines()
        #expect(lines.allSatisfy { $0.count == code.width })
        #expect(lines.count == (code.width + 1) / 2)
        #expect(try await QRReader.text(in: lines) == text)
    }

    @Test("The quiet zone is light on every side")
    func quietZone() throws {
        let code = try QRCode("baton")
        #expect(code.size == 21)
        let lines = code.lines()
        #expect(lines[0].allSatisfy { $0 == "█" } && lines[1].allSatisfy { $0 == "█" })
        #expect(lines.allSatisfy { $0.hasPrefix("████") || $0.hasPrefix("▀▀▀▀") })
        #expect(lines.allSatisfy { $0.hasSuffix("████") || $0.hasSuffix("▀▀▀▀") })
        // Check the outer ring of the finder pattern.
        #expect((0..<7).allSatisfy { code.isDark(row: 0, column: $0) && code.isDark(row: $0, column: 0) })
        #expect(!code.isDark(row: -1, column: 0) && !code.isDark(row: 0, column: 21))
    }

    @Test("An empty text, or one too long for any code, is refused")
    func limits() throws {
        #expect(throws: QRCode.Failure.self) { try QRCode("") }
        #expect(throws: QRCode.Failure.self) {
            try QRCode(String(repeating: "é", count: QRCode.maximumLength / 2 + 1))
        }
        #expect(try QRCode(String(repeating: "x", count: QRCode.maximumLength)).size == 177)
    }
}
