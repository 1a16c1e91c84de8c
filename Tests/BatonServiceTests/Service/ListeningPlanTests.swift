// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Testing

@testable import BatonService

/// Tests when the radio listens, and for how long.
struct ListeningPlanTests {
    private var plan = ListeningPlan()

    @Test("Without a circle the radio listens only while this device joins one, or a program asks for offers")
    mutating func noCircle() {
        #expect(plan.listening([], at: .zero) == .never)
        #expect(plan.listening([.waiting, .acceptances], at: .zero) == .never)
        #expect(plan.listening(.pairing, at: .zero) == .always)
        plan.look(at: .seconds(10))
        #expect(plan.listening([], at: .seconds(29)) == .always && plan.listening([], at: .seconds(30)) == .never)
    }

    @Test(
        "The radio listens normally while the user is present, at intervals while the laptop is idle, and never without the user"
    )
    mutating func attendance() {
        #expect(plan.listening(.membership, at: .seconds(100)) == .usually)
        plan.attend(.idle, at: .seconds(100))
        #expect(plan.listening(.membership, at: .seconds(100)) == .sometimes)
        plan.attend(.away, at: .seconds(100))
        #expect(plan.listening(.membership, at: .seconds(100)) == .never)
    }

    @Test("While links show all offers, the radio listens less, unless rules, streams or a program need it")
    mutating func links() {
        #expect(plan.listening(.membership, at: .zero) == .usually)
        plan.needsSignals = false
        #expect(plan.listening(.membership, at: .zero) == .sometimes)
        #expect(plan.listening([.membership, .unlinked], at: .zero) == .usually)
        #expect(plan.listening([.membership, .streams], at: .zero) == .usually)
        #expect(plan.listening([.membership, .waiting], at: .zero) == .always)
        plan.look(at: .zero)
        #expect(plan.listening(.membership, at: .seconds(19)) == .always)
        plan.attend(.away, at: .seconds(30))
        #expect(plan.listening(.membership, at: .seconds(30)) == .never)
    }

    @Test(
        "While the user is away, the radio listens as long as something needs it",
        arguments: [
            (ListeningPlan.Needs.waiting, Listening.always), (.pairing, .always), (.streams, .usually),
            (.acceptances, .sometimes),
        ])
    mutating func needsWhileAway(need: ListeningPlan.Needs, listening: Listening) {
        plan.attend(.away, at: .zero)
        #expect(plan.listening([.membership, need], at: .seconds(100)) == listening)
    }

    @Test("One task sends the settings to the radio, the newest last, and the next change begins another")
    mutating func telling() {
        let begins = (1...2).map { _ in plan.beginTelling(.membership, at: .seconds(100)) }
        #expect(begins == [true, false])
        let sent = [ListeningPlan.Needs.membership, .pairing, .pairing].map { plan.next($0, at: .seconds(100)) }
        #expect(sent == [.usually, .always, nil])
        let another = [ListeningPlan.Needs.pairing, .membership].map { plan.beginTelling($0, at: .seconds(100)) }
        #expect(another == [false, true])
    }

    @Test("When the user comes back, the radio listens for 20 s without a pause")
    mutating func comesBack() {
        plan.attend(.present, at: .seconds(50))
        #expect(plan.listening(.membership, at: .seconds(50)) == .usually)
        plan.attend(.idle, at: .seconds(60))
        plan.attend(.present, at: .seconds(100))
        #expect(plan.listening(.membership, at: .seconds(119)) == .always)
        #expect(plan.deadline(at: .seconds(119)) == .seconds(120) && plan.deadline(at: .seconds(120)) == nil)
        #expect(plan.listening(.membership, at: .seconds(120)) == .usually)
    }
}
