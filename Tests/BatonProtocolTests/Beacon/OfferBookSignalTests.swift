// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// Tests the signal strength of offers, and the address in use.
@Suite struct OfferBookSignalTests: OfferBookSuite {
    var listener = OfferBookListener()

    @Test("Small changes of the signal are not reported")
    mutating func smallSignalChanges() {
        _ = listener.hear(beacon(), signal: -50)
        _ = listener.pass(2)
        #expect(listener.hear(beacon(), signal: -58) == [])
        #expect(listener.hear(beacon(), signal: nil) == [])
        #expect(listener.hear(beacon(), signal: -56) == [.changed(offer(beacon(), signal: -55))])
        // Even strong changes are reported only once a second.
        #expect(listener.hear(beacon(), signal: -90) == [])
        _ = listener.pass(1)
        #expect(listener.hear(beacon(), signal: -90) == [.changed(offer(beacon(), signal: -81))])
        #expect(listener.hear(beacon(), signal: .min) == [])
    }

    @Test("A lasting change is reported and a single outlier is not, and after a silence the mean starts again")
    mutating func smoothedSignal() {
        _ = listener.hear(beacon(), signal: -60)
        for report in [-52, -68, -56, -64] {
            _ = listener.pass(1)
            #expect(listener.hear(beacon(), signal: report) == [])
        }
        var told: [Int] = []
        for _ in 0..<6 {
            _ = listener.pass(1)
            for case .changed(let offer) in listener.hear(beacon(), signal: -40) { told.append(offer.signal ?? 0) }
        }
        #expect(told.count >= 2 && told.sorted() == told && (-44 ... -40).contains(told.last ?? 0))
        _ = listener.pass(5)
        #expect(listener.hear(beacon(), signal: -80) == [.changed(offer(beacon(), signal: -80))])
        _ = listener.pass(5)
        #expect(listener.hear(beacon(), signal: .max) == [.changed(offer(beacon(), signal: 20))])
    }

    /// If addresses shared one signal strength, a beacon replayed from close by would make the real
    /// device seem near.
    @Test("A signal is reported together with its own address", arguments: [-42, -90])
    mutating func signalOfItsAddress(_ strength: Int) {
        _ = listener.hear(beacon(), at: "replay", signal: -40)
        _ = listener.hear(beacon(), at: "true", signal: strength)
        #expect(
            listener.book.lost(address: "replay", at: listener.uptime)
                == [.changed(offer(beacon(), address: "true", signal: strength))])
    }

    @Test("A replay from another address does not replace the address in use")
    mutating func replayElsewhere() {
        _ = listener.hear(beacon(), at: "true")
        for round in 0..<50 {
            _ = listener.pass(1)
            _ = listener.hear(beacon(), at: "replay\(round)")
            _ = listener.hear(beacon(), at: "true")
        }
        #expect(listener.book.offers.map(\.address) == ["true"])
        #expect(listener.book.heard(2).count == 8)
        #expect(listener.book.heard(2).first?.address == "true")
    }

    @Test("A silent address is replaced by one that is heard")
    mutating func silentAddressGivesWay() {
        _ = listener.hear(beacon(), at: "old")
        _ = listener.pass(9)
        #expect(listener.hear(beacon(), at: "new") == [])
        _ = listener.pass(1)
        #expect(listener.hear(beacon(), at: "new") == [.changed(offer(beacon(), address: "new"))])
    }
}
