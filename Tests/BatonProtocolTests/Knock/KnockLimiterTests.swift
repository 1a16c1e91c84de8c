// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@Suite struct KnockLimiterTests {
    var limiter = KnockLimiter<Int>()

    @Test mutating func seventeenthUnprovedChannelPushesOutTheOldest() {
        for id in 0..<16 { #expect(limiter.opened(id, address: nil, at: .milliseconds(id)) == []) }
        #expect(limiter.opened(16, address: nil, at: .milliseconds(16)) == [.close(0)])
        #expect(limiter.opened(17, address: nil, at: .milliseconds(17)) == [.close(1)])
        #expect(limiter.unprovedCount == 16)
    }

    @Test mutating func provedChannelsDoNotCount() {
        for id in 0..<100 {
            #expect(limiter.opened(id, address: "a", at: .zero) == [])
            limiter.proved(id)
        }
        #expect(limiter.unprovedCount == 0)
        #expect(limiter.nextDeadline == nil)
    }

    @Test mutating func unprovedChannelIsClosedAfter3Seconds() {
        _ = limiter.opened(1, address: nil, at: .seconds(10))
        _ = limiter.opened(2, address: nil, at: .seconds(11))
        #expect(limiter.nextDeadline == .seconds(13))
        #expect(limiter.timePassed(at: .milliseconds(12_999)) == [])
        #expect(limiter.timePassed(at: .seconds(13)) == [.close(1)])
        #expect(limiter.nextDeadline == .seconds(14))
        #expect(limiter.closed(1, at: .seconds(13)) == [])
    }

    @Test mutating func twentyKnocksASecond() {
        for id in 0..<20 { #expect(limiter.mayTry(id, at: .milliseconds(id)) == true) }
        let refused = limiter.mayTry(20, at: .milliseconds(999))
        let first = limiter.mayTry(21, at: .milliseconds(1_000))
        let second = limiter.mayTry(22, at: .milliseconds(1_000))
        #expect(!refused && first && !second)
    }

    @Test mutating func refusedForRateDoesNotCountAgainstTheLink() {
        for id in 0..<20 { _ = limiter.mayTry(id, at: .zero) }
        for id in 20..<30 {
            _ = limiter.opened(id, address: "member", at: .zero)
            let tried = limiter.mayTry(id, at: .zero)
            #expect(!tried)
            #expect(limiter.closed(id, at: .zero) == [])
        }
    }

    @Test mutating func threeFailuresOnAnLELinkDisconnectIt() {
        for id in 0..<2 {
            _ = limiter.opened(id, address: "a", at: .zero)
            #expect(limiter.closed(id, at: .zero) == [])
        }
        _ = limiter.opened(2, address: "b", at: .zero)
        #expect(limiter.closed(2, at: .zero) == [])
        _ = limiter.opened(3, address: "a", at: .zero)
        #expect(limiter.timePassed(at: .seconds(3)) == [.close(3), .disconnect(address: "a")])
        // Counted from the beginning on the next link.
        _ = limiter.opened(4, address: "a", at: .seconds(4))
        #expect(limiter.closed(4, at: .seconds(4)) == [])
    }

    @Test mutating func failuresWithoutALinkDisconnectNothing() {
        for id in 0..<10 {
            _ = limiter.opened(id, address: nil, at: .zero)
            #expect(limiter.closed(id, at: .zero) == [])
        }
    }

    @Test mutating func provedKnockForgivesFailures() {
        for id in 0..<10 {
            _ = limiter.opened(id, address: "a", at: .zero)
            if id.isMultiple(of: 2) { #expect(limiter.closed(id, at: .zero) == []) } else { limiter.proved(id) }
        }
    }

    @Test mutating func linkThatPushesItsOwnChannelsOutIsDisconnected() {
        var actions: [KnockLimiter<Int>.Action] = []
        for id in 0..<19 { actions += limiter.opened(id, address: "flood", at: .zero) }
        #expect(actions == [.close(0), .close(1), .close(2), .disconnect(address: "flood")])
    }

    @Test mutating func channelsPushedOutByAnotherLinkDoNotCount() {
        for round in 0..<5 {
            _ = limiter.opened(round * 100, address: "member", at: .zero)
            for id in 1...16 {
                let actions = limiter.opened(round * 100 + id, address: "flood\(round)-\(id)", at: .zero)
                #expect(!actions.contains(.disconnect(address: "member")))
            }
        }
    }

    @Test mutating func failuresAreForgottenAfter10Minutes() {
        for (id, time) in [(1, 0), (2, 1), (3, 700), (4, 701)] {
            _ = limiter.opened(id, address: "a", at: .seconds(time))
            #expect(limiter.closed(id, at: .seconds(time)) == [])
        }
    }

    @Test mutating func rememberedLinksAreBounded() {
        _ = limiter.opened(0, address: "first", at: .zero)
        #expect(limiter.closed(0, at: .zero) == [])
        for id in 1...64 {
            _ = limiter.opened(id, address: "a\(id)", at: .milliseconds(id))
            #expect(limiter.closed(id, at: .milliseconds(id)) == [])
        }
        for id in 100..<102 {
            _ = limiter.opened(id, address: "first", at: .seconds(1))
            #expect(limiter.closed(id, at: .seconds(1)) == [])
        }
    }
}
