// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import BlueZTransport

@Suite struct AdvertisingPlanTests {
    private var plan = AdvertisingPlan(pause: .seconds(1))

    /// Registers the advertisement 1 at the time zero.
    private mutating func registerFirst() {
        plan.want([1])
        _ = plan.next(now: .zero)
        plan.didRegister([1])
    }

    @Test("The first wanted advertisement is registered at once")
    mutating func firstWish() {
        plan.want([1])
        #expect(plan.next(now: .seconds(5)) == .register([1]))
        #expect(!plan.isSettled)
        plan.didRegister([1])
        #expect(plan.isSettled)
        #expect(plan.next(now: .seconds(5)) == .rest)
    }

    @Test("A change waits for the pause, then unregisters and registers again")
    mutating func aChangeWaits() {
        registerFirst()
        plan.want([2])
        #expect(plan.next(now: .milliseconds(10)) == .wait(until: .seconds(1)))
        #expect(plan.next(now: .seconds(1)) == .unregister)
        plan.didUnregister()
        #expect(plan.next(now: .seconds(1)) == .register([2]))
    }

    @Test("Only the newest of many wanted advertisements is registered")
    mutating func theNewestOfManyWishesWins() {
        registerFirst()
        for value in UInt8(2)...200 { plan.want([value]) }
        #expect(plan.next(now: .seconds(1)) == .unregister)
        plan.didUnregister()
        #expect(plan.next(now: .seconds(1)) == .register([200]))
    }

    @Test("A withdrawn request changes nothing")
    mutating func wishTakenBack() {
        registerFirst()
        plan.want([2])
        plan.want([1])
        #expect(plan.next(now: .seconds(9)) == .rest)
        #expect(plan.isSettled)
    }

    @Test("Ending the advertisement does not wait for the pause")
    mutating func silenceDoesNotWait() {
        registerFirst()
        plan.want(nil)
        #expect(plan.next(now: .zero) == .unregister)
        plan.didUnregister()
        #expect(plan.next(now: .zero) == .rest)
        #expect(plan.isSettled)
    }

    @Test("An advertisement that becomes wanted during a registration is registered after it")
    mutating func wishWhileRegistering() {
        plan.want([1])
        _ = plan.next(now: .zero)
        plan.want([2])
        #expect(plan.next(now: .seconds(2)) == .rest)
        plan.didRegister([1])
        #expect(plan.next(now: .seconds(2)) == .unregister)
    }

    @Test("Failures are retried at growing intervals, up to a minute")
    mutating func failuresAreRetried() {
        plan.want([1])
        var now = Duration.zero
        for delay in [2, 4, 8, 16, 32, 60, 60] {
            #expect(plan.next(now: now) == .register([1]))
            plan.didFail(now: now, isFinal: false)
            #expect(plan.isSettled)
            #expect(plan.next(now: now) == .wait(until: now + .seconds(delay)))
            now += .seconds(delay)
        }
    }

    @Test("A signal that there is room causes a retry after the pause, but only if the radio was full")
    mutating func roomIsFree() {
        plan.want([1])
        for isFull in [false, true] {
            let now = Duration.seconds(isFull ? 100 : 0)
            #expect(plan.next(now: now) == .register([1]))
            plan.didFail(now: now, isFinal: false, isFull: isFull)
            plan.roomIsFree()
            #expect(plan.next(now: now) == .wait(until: now + (isFull ? plan.pause : .seconds(2))))
        }
    }

    @Test("A payload that was refused for good is not tried again, but another payload is")
    mutating func refusedForGood() {
        plan.want([1])
        _ = plan.next(now: .zero)
        plan.didFail(now: .zero, isFinal: true)
        #expect(plan.next(now: .seconds(100)) == .rest)
        plan.want([2])
        #expect(plan.next(now: .seconds(100)) == .register([2]))
    }

    @Test("An advertisement that bluetoothd releases is registered again")
    mutating func droppedByBluetoothd() {
        registerFirst()
        plan.wasReleased()
        #expect(plan.next(now: .seconds(1)) == .register([1]))
    }

    @Test("An advertisement that links have silenced is registered again, at most once in a pause")
    mutating func silencedByLinks() {
        registerFirst()
        for _ in 0..<200 { plan.wasSilenced() }
        #expect(plan.isSettled)
        #expect(plan.next(now: .zero) == .wait(until: .seconds(1)))
        #expect(plan.next(now: .seconds(1)) == .unregister)
        plan.didUnregister()
        #expect(plan.next(now: .seconds(1)) == .register([1]))
        plan.didRegister([1])
        #expect(plan.next(now: .seconds(9)) == .rest)
    }

    @Test("A link that comes up during a registration may have ended the advertisement")
    mutating func silencedWhileRegistering() {
        plan.want([1])
        _ = plan.next(now: .zero)
        plan.wasSilenced()
        plan.didRegister([1])
        #expect(plan.next(now: .seconds(1)) == .unregister)
        plan.didUnregister()
        #expect(plan.next(now: .seconds(1)) == .register([1]))
    }

    @Test("A link changes nothing while nothing is advertised")
    mutating func linkedInSilence() {
        plan.wasSilenced()
        #expect(plan.next(now: .zero) == .rest)
        registerFirst()
        #expect(plan.next(now: .seconds(9)) == .rest)
    }
}
