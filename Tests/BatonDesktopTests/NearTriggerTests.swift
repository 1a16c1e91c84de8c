// SPDX-License-Identifier: Apache-2.0

import BatonDesktop
import Testing

@Suite struct NearTriggerTests {
    private var trigger = NearTrigger(threshold: -60)

    /// Feeds one signal a second. Returns the seconds at which the device came near.
    private mutating func near(_ signals: [Int?]) -> [Int] {
        signals.enumerated().filter { trigger.heard($0.element, at: .seconds($0.offset)) }.map(\.offset)
    }

    @Test("A device that stays near counts as coming near once")
    mutating func staysNearOnce() { #expect(near([-90, -58, -58, -57, -58, -59, -50, -40]) == [4]) }

    @Test("A device whose signal varies around the threshold is not near")
    mutating func flickersAtTheEdge() {
        #expect(near([-58, -75, -58, -75, -58, -75, -58, -75, -58, -75]).isEmpty)
    }

    @Test("Small dips of the signal do not count as leaving")
    mutating func smallDipsAreNoLeaving() { #expect(near([-60, -66, -63, -67, -68, -68]) == [3]) }

    @Test("A device that never reaches the threshold is not near")
    mutating func neverReachesThreshold() { #expect(near([-61, -61, -61, -61, -61]).isEmpty) }

    @Test("A device counts as coming near again only after it went away")
    mutating func onlyTheGoneComeAgain() {
        #expect(near([-50, -50, -50, -50, -65, -50, -50, -50, -50, -80, -50, -50, -50, -50]) == [3, 13])
    }

    @Test("An unknown signal counts as far")
    mutating func unknownSignalIsFar() { #expect(near([-50, -50, nil, -50, -50, nil]).isEmpty) }

    @Test("A near device stays pending until its action has begun")
    mutating func pendingUntilSettled() {
        #expect(near([-50, -50, -50, -50]) == [3])
        #expect(trigger.isPending)
        trigger.heard(-66, at: .seconds(5))
        #expect(trigger.isPending)
        trigger.settle()
        #expect(!trigger.isPending && trigger.deadline == nil)
    }

    @Test("A device that leaves is no longer pending")
    mutating func whoGoesIsNotPendingAnyMore() {
        #expect(near([-50, -50, -50, -50, -70]) == [3])
        #expect(!trigger.isPending)
    }

    @Test("A failed attempt is repeated after growing pauses, a limited number of times")
    mutating func failuresAreTriedLater() {
        #expect(near([-50, -50, -50, -50]) == [3])
        var (now, waits) = (Duration.seconds(3), [Duration]())
        for _ in 0..<4 {
            trigger.settle()
            trigger.tryAgain(at: now)
            guard let deadline = trigger.deadline else { break }
            waits.append(deadline - now)
            now = deadline
            trigger.timePassed(at: now)
            #expect(trigger.isPending)
        }
        #expect(waits == [.seconds(5), .seconds(10), .seconds(20)])
        // After a device has come again, the pauses start from the beginning.
        #expect(near([-90, -50, -50, -50, -50]) == [4])
        trigger.settle()
        trigger.tryAgain(at: .seconds(4))
        #expect(trigger.deadline == .seconds(9))
    }

    @Test("A device that does not answer nearby is tried ever less often, but at least every ten minutes")
    mutating func noAnswerNearBy() {
        #expect(near([-50, -50, -50, -50]) == [3])
        var (now, waits) = (Duration.seconds(3), [Duration]())
        for _ in 0..<9 {
            trigger.missed(at: now)
            guard let deadline = trigger.deadline else { break }
            #expect(!trigger.isPending)
            waits.append(deadline - now)
            now = deadline
            trigger.timePassed(at: now)
            #expect(trigger.isPending)
        }
        #expect(waits == [10, 20, 40, 80, 160, 320, 600, 600, 600].map { .seconds($0) })
        // A device that has left is not tried again. After it has come back, the pauses start from
        // the beginning.
        trigger.missed(at: now)
        trigger.heard(-90, at: now)
        #expect(trigger.deadline == nil)
        trigger.missed(at: now)
        #expect(trigger.deadline == nil)
        #expect(near([-50, -50, -50, -50]) == [3])
        trigger.missed(at: .seconds(3))
        #expect(trigger.deadline == .seconds(13))
    }

    @Test("A device that has left is not tried again")
    mutating func whoHasGoneIsNotTriedAgain() {
        #expect(near([-50, -50, -50, -50, -90]) == [3])
        trigger.tryAgain(at: .seconds(5))
        #expect(trigger.deadline == nil)
    }

    @Test("A device becomes near as time passes, without another report")
    mutating func timeAloneMakesItNear() {
        let (atOnce, deadline) = (trigger.heard(-50, at: .seconds(10)), trigger.deadline)
        let (early, inTime) = (trigger.timePassed(at: .seconds(12)), trigger.timePassed(at: .seconds(13)))
        #expect(deadline == .seconds(13))
        #expect([atOnce, early, inTime] == [false, false, true])
        #expect(trigger.deadline == nil)
    }
}
