// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import baton

@Suite struct StreamMeterTests {
    private var subject = StreamMeter()

    private func progress(
        sent: UInt64 = 0, received: UInt64 = 0, over transport: String = "tcp", isWaiting: Bool = false
    ) -> StreamProgress {
        StreamProgress(sent: sent, received: received, transport: transport, isWaiting: isWaiting)
    }

    @Test("The line shows the amounts, the rate, the transport, and that streams wait")
    mutating func line() {
        #expect(subject.line(at: .zero) == nil)
        subject.update("s", progress(), at: .zero)
        #expect(subject.line(at: .zero) == "Connected over tcp")
        subject.update("s", progress(sent: 2_000_000, received: 50_000), at: .seconds(2))
        #expect(subject.line(at: .seconds(2)) == "2000 kB sent and 50 kB received over tcp, 1025 kB a second")
        subject.update(
            "s", progress(sent: 2_000_000, received: 50_000, over: "l2cap", isWaiting: true), at: .seconds(3))
        #expect(subject.line(at: .seconds(3)) == "2000 kB sent and 50 kB received, waiting for the connection")
        subject.remove("s")
        #expect(subject.line(at: .seconds(3)) == nil)
    }

    @Test("The rate is that of the last three seconds, and disappears when nothing moves any more")
    mutating func rate() {
        for second in 0...10 {
            subject.update("s", progress(sent: UInt64(second * second) * 1_000_000), at: .seconds(second))
        }
        // From 49 MB to 100 MB in three seconds.
        #expect(subject.line(at: .seconds(10)) == "100 MB sent over tcp, 17 MB a second")
        #expect(subject.line(at: .seconds(14)) == "100 MB sent over tcp")
    }

    @Test("The amounts of several pairs are added up")
    mutating func pairs() {
        subject.update("a", progress(sent: 1_000), at: .zero)
        subject.update("b", progress(sent: .max, over: "l2cap"), at: .zero)
        #expect(subject.line(at: .zero) == "18446744073 GB sent over l2cap, tcp")
        subject.update("b", progress(sent: .max, over: "l2cap", isWaiting: true), at: .zero)
        #expect(subject.line(at: .zero) == "18446744073 GB sent, waiting for the connection")
        subject.remove("b")
        #expect(subject.line(at: .zero) == "1000 B sent over tcp")
    }

    @Test("The line about streams that only receive, or have transferred nothing, is a whole sentence")
    mutating func directions() {
        subject.update("s", progress(isWaiting: true), at: .zero)
        #expect(subject.line(at: .zero) == "Waiting for the connection")
        subject.update("s", progress(), at: .zero)
        #expect(subject.line(at: .zero) == "Connected over tcp")
        subject.update("s", progress(received: 3_000), at: .seconds(1))
        #expect(subject.line(at: .seconds(1)) == "3000 B received over tcp, 3000 B a second")
        #expect(subject.line(at: .seconds(5)) == "3000 B received over tcp")
        subject.update("s", progress(received: 3_000, isWaiting: true), at: .seconds(6))
        #expect(subject.line(at: .seconds(6)) == "3000 B received, waiting for the connection")
    }

    @Test("The bytes that moved before the first report are not part of the rate")
    mutating func begun() {
        subject.update("s", progress(sent: 5_000_000), at: .zero)
        subject.update("s", progress(sent: 5_010_000), at: .seconds(1))
        #expect(subject.line(at: .seconds(1)) == "5010 kB sent over tcp, 10 kB a second")
    }

    @Test("Amounts are shown as whole numbers", arguments: [0, 9_999, 10_000, 9_999_999, 10_000_000, 10_000_000_000])
    func amounts(_ bytes: UInt64) {
        let texts: [UInt64: String] = [
            0: "0 B", 9_999: "9999 B", 10_000: "10 kB", 9_999_999: "9999 kB", 10_000_000: "10 MB",
            10_000_000_000: "10 GB",
        ]
        #expect(StreamMeter.text(bytes) == texts[bytes])
    }
}
