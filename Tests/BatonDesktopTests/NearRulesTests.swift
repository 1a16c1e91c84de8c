// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

/// Tests which offers rules continue automatically, and when. The test sets the times.
@Suite struct NearRulesTests {
    private var rules = NearRules()
    private var uptime = Duration.zero
    /// The offers that cannot be continued now, for example because the screen is locked.
    private var hindered: Set<String> = []

    @Test("The earliest deadline of all triggers counts, and a near offer is continued once")
    mutating func deadlines() {
        hear("a")
        pass(1)
        hear("b")
        #expect(rules.deadline == .seconds(3))
        pass(2)
        #expect(take() == ["a"])
        #expect(take() == [])
        #expect(rules.deadline == .seconds(4))
        pass(100)
        #expect(take() == ["b"])
        #expect(rules.deadline == nil)
    }

    @Test("After a pause or another user's session, a rule acts when the radio has listened for 20 s")
    mutating func listensBeforeRules() {
        rules.beginListening(at: uptime)
        hear("a")
        pass(3)
        #expect(take() == [] && rules.isNear("a"))
        #expect(rules.deadline == NearRules.listeningTime)
        pass(16)
        #expect(take() == [])
        pass(1)
        #expect(take() == ["a"])
    }

    @Test("A rule waits if its device is heard without a signal strength")
    mutating func unknownSignal() {
        for signal in [nil, -90, nil] {
            hear("a", signal)
            #expect(rules.unheard == (signal == nil ? ["a"] : []))
        }
        rules.withdrawn("a")
        #expect(rules.unheard.isEmpty)
    }

    @Test("While Baton tries to reach a device, no other attempt begins, even if the rules change meanwhile")
    mutating func reaching() {
        comeNear("a")
        #expect(take() == ["a"])
        rules.rulesChanged()
        comeNear("a")
        #expect(take() == [])
        #expect(answered("a") == true)
        #expect(take() == [])
    }

    @Test("An offer waits while the screen is locked, even if it was locked while the device was being reached")
    mutating func hinderedMeanwhile() {
        comeNear("a")
        #expect(take() == ["a"])
        hindered = ["a", "b"]
        #expect(answered("a") == false)
        comeNear("b")
        #expect(take() == [])
        // An offer that was withdrawn meanwhile is not continued.
        hear("b", -90)
        hindered = []
        #expect(take() == ["a"])
    }

    @Test("A device that did not answer nearby is tried again later, and so is a failed continuation")
    mutating func again() {
        comeNear("a")
        _ = take()
        #expect(answered("a", isReached: false) == false)
        #expect(take() == [] && rules.deadline == uptime + NearTrigger.firstMissPause)
        pass(100)
        #expect(take() == ["a"])
        #expect(answered("a") == true)
        rules.failed("a", .connectionUnavailable, at: uptime)
        #expect(rules.deadline == uptime + NearTrigger.retryDelay)
        pass(100)
        #expect(take() == ["a"])
        #expect(answered("a") == true)
        rules.failed("a", .notFound, at: uptime)
        #expect(rules.deadline == nil)
    }

    @Test("While an offer that the user continued or cancelled exists, no rule continues it", arguments: [true, false])
    mutating func isOver(isContinued: Bool) {
        for isAgain in [false, true] {
            comeNear("a")
            #expect(take() == (isAgain ? [] : ["a"]))
            if !isAgain { #expect(answered("a") == true) }
            if isContinued { rules.continued("a") } else { rules.failed("a", .userCancelled, at: uptime) }
            hear("a", -90)
        }
        rules.withdrawn("a")
        rules.continued("a")
        comeNear("a")
        #expect(take() == ["a"])
    }

    @Test("A withdrawn offer is forgotten, and no rule acts on it")
    mutating func forgotten() {
        for number in 0..<1_000 {
            comeNear("\(number)")
            _ = take()
            rules.withdrawn("\(number)")
            rules.failed("\(number)", .connectionUnavailable, at: uptime)
            #expect(answered("\(number)", isReached: number % 2 == 0) == false)
        }
        #expect(rules.deadline == nil && rules.unheard.isEmpty && !rules.isNear("0"))
    }

    private func offer(_ id: String, _ signal: Int?) -> OfferSummary {
        OfferSummary(offer: id, device: "bb", deviceName: "sofa", signal: signal)
    }

    private mutating func hear(_ id: String, _ signal: Int? = -50) {
        rules.changed(offer(id, signal), threshold: -60, at: uptime)
    }

    private mutating func comeNear(_ id: String) {
        hear(id)
        pass(3)
    }

    private mutating func pass(_ seconds: Int) {
        uptime += .seconds(seconds)
        rules.timePassed(at: uptime)
    }

    private mutating func take() -> [String] {
        rules.take(at: uptime) { [hindered] in !hindered.contains($0) }.map(\.offer)
    }

    private mutating func answered(_ id: String, isReached: Bool = true) -> Bool {
        rules.answered(id, isReached: isReached, mayContinue: !hindered.contains(id), at: uptime)
    }
}
