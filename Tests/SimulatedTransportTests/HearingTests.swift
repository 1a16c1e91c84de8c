// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Testing

@testable import SimulatedTransport

struct HearingTests {
    private func sighting(_ number: UInt8) -> Sighting {
        Sighting(address: "a", payload: [number], signal: nil)
    }

    @Test("The same seed loses the same advertisements")
    func lossIsRepeatable() {
        var one = Hearing(lostAfter: .seconds(3), seed: 7)
        var other = Hearing(lostAfter: .seconds(3), seed: 7)
        let first = (0..<1_000).map { _ in one.loses(0.3) }
        #expect(first == (0..<1_000).map { _ in other.loses(0.3) })
        #expect((200...400).contains(first.filter(\.self).count))
        let never = (0..<100).map { _ in one.loses(0) }
        let always = (0..<100).map { _ in one.loses(1) }
        #expect(!never.contains(true) && !always.contains(false))
    }

    @Test("Delayed advertisements arrive in the order of their times")
    func delayedInOrder() {
        var hearing = Hearing(lostAfter: .seconds(3), seed: 1)
        for (number, due) in [(1, 30), (2, 10), (3, 10), (4, 20)] {
            let isTaken = hearing.delay(sighting(UInt8(number)), until: .milliseconds(due))
            #expect(isTaken)
        }
        let arrivals = [9, 20, 60].map { hearing.arrived(.milliseconds($0)).map(\.payload) }
        #expect(arrivals == [[], [[2], [3], [4]], [[1]]])
    }

    @Test("At most 1,024 advertisements are delayed at once")
    func pendingIsLimited() {
        var hearing = Hearing(lostAfter: .seconds(3), seed: 1)
        let taken = (0..<1_025).map { _ in hearing.delay(sighting(1), until: .seconds(1)) }
        #expect(taken == [Bool](repeating: true, count: 1_024) + [false])
    }

    @Test("At most 256 peers are heard, and a lost peer makes room")
    func peersAreLimited() {
        var hearing = Hearing(lostAfter: .seconds(3), seed: 1)
        let heard = (0..<256).map { hearing.hear("a\($0)", at: .seconds($0 == 0 ? 0 : 1)) }
        let (stranger, known) = (hearing.hear("b", at: .seconds(1)), hearing.hear("a5", at: .seconds(1)))
        #expect(!heard.contains(false) && !stranger && known)
        let lost = hearing.expire(.seconds(3))
        let later = hearing.hear("b", at: .seconds(3))
        #expect(lost == ["a0"] && later)
    }

    @Test("Time without listening does not count as silence")
    func timeWithoutListening() {
        var hearing = Hearing(lostAfter: .seconds(3), seed: 1)
        let isHeard = hearing.hear("a", at: .seconds(1))
        hearing.skip(.seconds(10))
        let (early, late) = (hearing.expire(.seconds(13)), hearing.expire(.seconds(14)))
        #expect(isHeard && early.isEmpty && late == ["a"])
    }
}
