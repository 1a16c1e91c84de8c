// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceModel

@Suite struct TraceLineTests {
    @Test("A line of a trace is read as it was written")
    func roundTrip() throws {
        let line = TraceLine(
            .handover, "fetch", span: 7, phase: .end, about: ["device": "A", "failure": "said \"no\"\n"], at: 12.345678)
        let text = try #require(line.encoded)
        #expect(text.last == UInt8(ascii: "\n"))
        #expect(text.dropLast().firstIndex(of: UInt8(ascii: "\n")) == nil)
        #expect(TraceLine(text.dropLast()) == line)
    }

    @Test("A value is cut to 256 bytes without splitting a character")
    func longValue() throws {
        let line = TraceLine(.radio, "heard", about: ["device": String(repeating: "ä", count: 300)])
        let value = try #require(line.about["device"])
        #expect(value.utf8.count <= TraceLine.maximumValue)
        #expect(value == String(repeating: "ä", count: 126) + "…")
    }

    @Test("A line that would be too long is not encoded")
    func longLine() {
        let about = Dictionary(uniqueKeysWithValues: (0..<40).map { ("\($0)", String(repeating: "x", count: 200)) })
        #expect(TraceLine(.radio, "heard", about: about).encoded == nil)
    }

    @Test(
        "Text that is not a line is rejected",
        arguments: [
            "", "{}", "[]", "null", "{\"at\":1}", "{\"at\":1,\"lane\":\"kitchen\",\"event\":\"e\",\"about\":{}}",
            "{\"at\":\"1\",\"lane\":\"radio\",\"event\":\"e\",\"about\":{}}",
            "{\"at\":1e999,\"lane\":\"radio\",\"event\":\"e\",\"about\":{}}",
            "{\"at\":1,\"lane\":\"radio\",\"event\":\"e\",\"about\":{\"a\":1}}",
            "{\"at\":1,\"lane\":\"radio\",\"event\":\"e\",\"about\":{\"a\":\"\(String(repeating: "x", count: 257))\"}}",
            String(repeating: " ", count: TraceLine.maximumLength),
        ])
    func noLine(text: String) { #expect(TraceLine(text.utf8) == nil) }
}
