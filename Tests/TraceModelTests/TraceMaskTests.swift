// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceModel

@Suite struct TraceMaskTests {
    private let fields: [TraceField] = [
        .device("0a1b2c3d", name: "anna's laptop"), .address("AA:BB:CC:DD:EE:FF"), .type("org.example.letter"),
        .title("Dear Berta"), .offer("0a1b2c3d-e5f6"), .plain("signal", "-60"),
        .failure("unreachable", detail: "192.0.2.7 is silent"),
    ]

    @Test("By default a trace contains no names of people or things")
    func masked() {
        var mask = TraceMask(revealing: [])
        #expect(
            mask.about(fields)
                == [
                    "device": "A", "address": "A", "type": "A", "offer": "A", "signal": "-60",
                    "failure": "unreachable",
                ])
    }

    @Test("Each kind of detail can be revealed by itself", arguments: TraceDetail.allCases)
    func revealed(detail: TraceDetail) {
        var mask = TraceMask(revealing: [detail])
        let about = mask.about(fields)
        #expect(about["device"] == (detail == .names ? "anna's laptop" : "A"))
        #expect(about["address"] == (detail == .addresses ? "AA:BB:CC:DD:EE:FF" : "A"))
        #expect(about["detail"] == (detail == .addresses ? "192.0.2.7 is silent" : nil))
        #expect(about["type"] == (detail == .types ? "org.example.letter" : "A"))
        #expect(about["offer"] == "A")
        #expect(about["title"] == (detail == .titles ? "Dear Berta" : nil))
    }

    @Test("The same fact gets the same letter, and facts beyond 256 share one word")
    func letters() {
        var mask = TraceMask(revealing: [])
        func word(_ number: Int) -> String? { mask.about([.device("\(number)", name: "")])["device"] }
        let words = (0..<256).map { word($0) }
        #expect(words.prefix(28).suffix(3) == ["Z", "AA", "AB"])
        #expect(Set(words).count == 256)
        #expect((0..<256).map { word($0) } == words)
        #expect(word(256) == "another")
        #expect(word(257) == "another")
    }
}
