// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

@Suite struct KnockLimiterTests {
    var limiter = KnockLimiter<Int>(dropsLinks: true)

    @Test("The seventeenth unproved channel displaces the oldest")
    mutating func seventeenthChannel() {
        for id in 0..<16 { #expect(limiter.opened(id, from: "\(id)", at: .milliseconds(id)) == []) }
        #expect(limiter.opened(16, from: "16", at: .milliseconds(16)) == [.close(0)])
        #expect(limiter.opened(17, from: "17", at: .milliseconds(17)) == [.close(1)])
        #expect(limiter.unprovedCount == 16)
    }

    @Test("The source with the most channels loses its oldest")
    mutating func sourceWithTheMostLoses() {
        _ = limiter.opened(100, from: "member", at: .zero)
        for id in 0..<5 { _ = limiter.opened(id, from: "few", at: .zero) }
        for id in 10..<20 { #expect(limiter.opened(id, from: "many", at: .zero) == []) }
        #expect(limiter.opened(200, from: "another", at: .zero) == [.close(10)])
        #expect(limiter.opened(20, from: "many", at: .zero) == [.close(11)])
        #expect(limiter.opened(5, from: "few", at: .zero) == [.close(12)])
    }

    @Test("Among sources with equally many channels, one whose peer proved itself within a day loses none")
    mutating func knownSourceIsSpared() {
        _ = limiter.opened(100, from: "member", at: .zero)
        limiter.proved(100, at: .zero)
        #expect(limiter.opened(101, from: "member", at: .seconds(86_399)) == [])
        for id in 0..<15 { #expect(limiter.opened(id, from: "\(id)", at: .seconds(86_399)) == []) }
        #expect(limiter.opened(15, from: "15", at: .seconds(86_399)) == [.close(0)])
        // The source is known for exactly a day.
        #expect(limiter.opened(16, from: "16", at: .seconds(86_400)) == [.close(101)])
    }

    @Test("Channels whose peer is proved do not count, and have no deadline")
    mutating func provedChannelsDoNotCount() {
        for id in 0..<100 {
            #expect(limiter.opened(id, from: "a", at: .zero) == [])
            limiter.proved(id, at: .zero)
        }
        #expect(limiter.unprovedCount == 0)
        #expect(limiter.nextDeadline == nil)
    }

    @Test("An unproved channel is closed after 3 seconds")
    mutating func unprovedChannelIsClosed() {
        _ = limiter.opened(1, from: "x", at: .seconds(10))
        _ = limiter.opened(2, from: "x", at: .seconds(11))
        #expect(limiter.nextDeadline == .seconds(13))
        #expect(limiter.timePassed(at: .milliseconds(12_999)) == [])
        #expect(limiter.timePassed(at: .seconds(13)) == [.close(1)])
        #expect(limiter.nextDeadline == .seconds(14))
        #expect(limiter.closed(1, at: .seconds(13)) == [])
    }

    /// Returns whether a new channel's knock is checked.
    private mutating func tries(_ id: Int, from source: String, at time: Duration) -> Bool {
        _ = limiter.opened(id, from: source, at: time)
        defer { _ = limiter.closed(id, at: time) }
        return limiter.mayTry(id, at: time)
    }

    @Test("Each source may send twenty knocks a second")
    mutating func twentyKnocksASecond() {
        for id in 0..<20 { #expect(tries(id, from: "a", at: .milliseconds(id)) == true) }
        let refused = tries(20, from: "a", at: .milliseconds(999))
        let other = tries(21, from: "b", at: .milliseconds(999))
        let first = tries(22, from: "a", at: .milliseconds(1_000))
        let second = tries(23, from: "a", at: .milliseconds(1_000))
        #expect(!refused && other && first && !second)
    }

    /// An IPv6 LAN is one network. The devices in the LAN, however many addresses they have, share
    /// the limit of unknown sources.
    @Test("Other devices on a known address's network cannot keep that address out")
    mutating func knownAddressIsNotKeptOut() {
        _ = limiter.opened(1_000, from: "2001:db8::1", of: "2001:db8::/64", at: .zero)
        limiter.proved(1_000, at: .zero)
        for id in 0..<30 {
            _ = limiter.opened(id, from: "2001:db8::bad:\(id)", of: "2001:db8::/64", at: .zero)
            let isTried = limiter.mayTry(id, at: .zero)
            #expect(isTried == (id < 20), "strangers share what the network has")
        }
        // The strangers' half-open channels displace only each other.
        #expect(limiter.opened(2_000, from: "2001:db8::1", of: "2001:db8::/64", at: .zero) == [])
        var closed: [KnockLimiter<Int>.Action] = []
        for id in 30..<60 {
            closed += limiter.opened(id, from: "2001:db8::bad:\(id)", of: "2001:db8::/64", at: .zero)
        }
        #expect(closed.count >= 25)
        #expect(!closed.contains(.close(2_000)))
        let isTried = limiter.mayTry(2_000, at: .zero)
        #expect(isTried)
    }

    @Test("At most a hundred knocks a second from all strangers are tried, and as many from known sources")
    mutating func hundredKnocksASecond() {
        for id in 0..<10 {
            _ = limiter.opened(1_000 + id, from: "member \(id)", at: .zero)
            limiter.proved(1_000 + id, at: .zero)
        }
        for id in 0..<100 { #expect(tries(id, from: "stranger \(id % 10)", at: .zero) == true) }
        #expect(tries(100, from: "one more", at: .zero) == false)
        for id in 200..<300 { #expect(tries(id, from: "member \(id % 10)", at: .zero) == true) }
        #expect(tries(300, from: "member 0", at: .zero) == false)
    }

    @Test("The knock of a displaced channel is not tried")
    mutating func channelThatGaveWayIsNotTried() {
        for id in 0..<17 { _ = limiter.opened(id, from: "a", at: .zero) }
        let gone = limiter.mayTry(0, at: .zero)
        let there = limiter.mayTry(1, at: .zero)
        #expect(!gone && there)
    }

    @Test("A channel that pairs does not make its source known")
    mutating func pairingMakesNobodyKnown() {
        _ = limiter.opened(100, from: "pairs", at: .zero)
        limiter.released(100)
        #expect(limiter.unprovedCount == 0)
        _ = limiter.opened(101, from: "pairs", at: .zero)
        for id in 0..<15 { _ = limiter.opened(id, from: "\(id)", at: .zero) }
        #expect(limiter.opened(15, from: "15", at: .zero) == [.close(101)])
    }

    @Test("At most 64 known sources are remembered, and the first is forgotten")
    mutating func knownSourcesAreBounded() {
        for id in 0..<65 {
            _ = limiter.opened(id, from: "member \(id)", at: .seconds(id))
            limiter.proved(id, at: .seconds(id))
        }
        // The first source is forgotten, but the second is not.
        _ = limiter.opened(100, from: "member 1", at: .seconds(65))
        _ = limiter.opened(101, from: "member 0", at: .seconds(65))
        for id in 0..<14 { _ = limiter.opened(id, from: "\(id)", at: .seconds(65)) }
        #expect(limiter.opened(14, from: "14", at: .seconds(65)) == [.close(101)])
    }

    @Test("A knock that exceeds the rate does not count as a failure of the link")
    mutating func refusedForRate() {
        for id in 0..<20 {
            _ = limiter.opened(id, from: "member", at: .zero)
            let tried = limiter.mayTry(id, at: .zero)
            #expect(tried)
            limiter.released(id)
        }
        for id in 20..<30 {
            _ = limiter.opened(id, from: "member", at: .zero)
            let tried = limiter.mayTry(id, at: .zero)
            #expect(!tried)
            #expect(limiter.closed(id, at: .zero) == [])
        }
    }

    @Test("Three failures on an LE link disconnect it")
    mutating func threeFailuresDisconnect() {
        for id in 0..<2 {
            _ = limiter.opened(id, from: "a", at: .zero)
            #expect(limiter.closed(id, at: .zero) == [])
        }
        _ = limiter.opened(2, from: "b", at: .zero)
        #expect(limiter.closed(2, at: .zero) == [])
        _ = limiter.opened(3, from: "a", at: .zero)
        #expect(limiter.timePassed(at: .seconds(3)) == [.close(3), .disconnect(source: "a")])
        // The next link starts without failures.
        _ = limiter.opened(4, from: "a", at: .seconds(4))
        #expect(limiter.closed(4, at: .seconds(4)) == [])
    }

    @Test("A member that dials six times at once, and closes all channels but one, keeps its link")
    mutating func simultaneousDials() {
        // The first dial never sent a knock.
        _ = limiter.opened(0, from: "a", at: .zero)
        #expect(limiter.timePassed(at: .seconds(3)) == [.close(0)])
        for id in 1...6 { _ = limiter.opened(id, from: "a", at: .seconds(3)) }
        for id in 1...5 { #expect(limiter.closed(id, at: .seconds(3)) == []) }
        limiter.proved(6, at: .seconds(3))
        #expect(limiter.unprovedCount == 0)
    }

    @Test("A stranger that always keeps one channel open is disconnected after it has closed eighteen others")
    mutating func closesWithoutEnd() {
        _ = limiter.opened(0, from: "a", at: .zero)
        var actions: [KnockLimiter<Int>.Action] = []
        for id in 1...18 {
            #expect(actions == [])
            _ = limiter.opened(id, from: "a", at: .zero)
            actions = limiter.closed(id - 1, at: .zero)
        }
        #expect(actions == [.disconnect(source: "a")])
    }

    @Test("A source's failures count even while another source has an open channel")
    mutating func channelsOfOthersExcuseNothing() {
        _ = limiter.opened(100, from: "b", at: .zero)
        var actions: [KnockLimiter<Int>.Action] = []
        for id in 1...3 {
            _ = limiter.opened(id, from: "a", at: .zero)
            actions += limiter.closed(id, at: .zero)
        }
        #expect(actions == [.disconnect(source: "a")])
    }

    @Test("A wrong knock is a failure, even while another channel of the source is open")
    mutating func wrongKnock() {
        _ = limiter.opened(0, from: "a", at: .zero)
        var actions: [KnockLimiter<Int>.Action] = []
        for id in 1...3 {
            _ = limiter.opened(id, from: "a", at: .zero)
            actions += limiter.refused(id, at: .zero)
            #expect(limiter.closed(id, at: .zero) == [])
        }
        #expect(actions == [.disconnect(source: "a")])
    }

    @Test("Failures on other transports disconnect nothing")
    mutating func failuresWithoutALink() {
        limiter = KnockLimiter(dropsLinks: false)
        for id in 0..<10 {
            _ = limiter.opened(id, from: "x", at: .zero)
            #expect(limiter.closed(id, at: .zero) == [])
        }
    }

    @Test("A right knock erases earlier failures")
    mutating func provedKnockForgivesFailures() {
        for id in 0..<10 {
            _ = limiter.opened(id, from: "a", at: .zero)
            if id.isMultiple(of: 2) {
                #expect(limiter.closed(id, at: .zero) == [])
            } else {
                limiter.proved(id, at: .zero)
            }
        }
    }

    @Test("A link whose new channels displace its own earlier ones is disconnected")
    mutating func linkThatFloods() {
        var actions: [KnockLimiter<Int>.Action] = []
        for id in 0..<19 { actions += limiter.opened(id, from: "flood", at: .zero) }
        #expect(actions == [.close(0), .close(1), .close(2), .disconnect(source: "flood")])
    }

    @Test("Channels that another link displaces do not count as failures of their own link")
    mutating func pushedOutByAnotherLink() {
        for round in 0..<5 {
            _ = limiter.opened(round * 100, from: "member", at: .zero)
            for id in 1...16 {
                let actions = limiter.opened(round * 100 + id, from: "flood\(round)-\(id)", at: .zero)
                #expect(!actions.contains(.disconnect(source: "member")))
            }
        }
    }

    @Test("Failures are forgotten after 10 minutes")
    mutating func failuresAreForgotten() {
        for (id, time) in [(1, 0), (2, 1), (3, 700), (4, 701)] {
            _ = limiter.opened(id, from: "a", at: .seconds(time))
            #expect(limiter.closed(id, at: .seconds(time)) == [])
        }
    }

    @Test("The number of remembered links is limited, and the failures of the oldest are forgotten")
    mutating func rememberedLinksAreBounded() {
        _ = limiter.opened(0, from: "first", at: .zero)
        #expect(limiter.closed(0, at: .zero) == [])
        for id in 1...64 {
            _ = limiter.opened(id, from: "a\(id)", at: .milliseconds(id))
            #expect(limiter.closed(id, at: .milliseconds(id)) == [])
        }
        for id in 100..<102 {
            _ = limiter.opened(id, from: "first", at: .seconds(1))
            #expect(limiter.closed(id, at: .seconds(1)) == [])
        }
    }
}
