// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

/// Which offers a rule continues, and when: each offer has a trigger of its own.
@Suite struct NearTriggersTests {
    private var subject = NearTriggers()

    private mutating func hear(_ offer: String, at seconds: Int, _ signal: Int? = -50) {
        subject.heard(offer, signal, threshold: -60, at: .seconds(seconds))
    }

    @Test("The first deadline of all is the part's; what has come near by then is pending, and comes once")
    mutating func deadlines() {
        hear("a", at: 0)
        hear("b", at: 1)
        #expect(subject.deadline == .seconds(3))
        let (early, first, again) = (
            subject.timePassed(at: .seconds(2)), subject.timePassed(at: .seconds(3)),
            subject.timePassed(at: .seconds(3))
        )
        #expect(early == [] && first == ["a"] && again == [])
        #expect(subject.isPending("a") && !subject.isPending("b") && subject.deadline == .seconds(4))
        let rest = subject.timePassed(at: .seconds(100))
        #expect(rest == ["b"] && subject.deadline == nil)
    }

    @Test("While its device is made sure of nothing else begins, also once the rules have changed meanwhile")
    mutating func reaching() {
        hear("a", at: 0)
        _ = subject.timePassed(at: .seconds(3))
        subject.beginReaching("a")
        #expect(!subject.isPending("a"))
        subject.forget("a")
        hear("a", at: 4)
        _ = subject.timePassed(at: .seconds(7))
        #expect(!subject.isPending("a"))
        subject.endReaching("a", isReached: true, at: .seconds(8))
        #expect(subject.isPending("a"))
        subject.settle("a")
        #expect(!subject.isPending("a"))
    }

    @Test("A device that did not answer near by, and a continuation that failed, are tried again later")
    mutating func again() {
        hear("a", at: 0)
        _ = subject.timePassed(at: .seconds(3))
        subject.beginReaching("a")
        subject.endReaching("a", isReached: false, at: .seconds(4))
        #expect(!subject.isPending("a") && subject.deadline == .seconds(4) + NearTrigger.firstMissPause)
        _ = subject.timePassed(at: .seconds(100))
        subject.settle("a")
        subject.tryAgain("a", at: .seconds(100))
        #expect(subject.deadline == .seconds(100) + NearTrigger.retryDelay)
    }

    @Test("Of an offer that has gone nothing is left, and nothing happens to it")
    mutating func forgotten() {
        hear("a", at: 0)
        subject.forget("a")
        subject.settle("a")
        subject.tryAgain("a", at: .seconds(1))
        subject.endReaching("a", isReached: false, at: .seconds(1))
        #expect(subject.all.isEmpty && subject.deadline == nil && subject["a"] == nil)
    }
}
