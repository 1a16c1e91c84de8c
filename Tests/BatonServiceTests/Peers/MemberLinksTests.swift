// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonService

/// Tests when kept links show the offers of all members that may be near.
struct MemberLinksTests {
    private var members = MemberLinks(unixTime: 10_000)

    @Test("Without a link, links never suffice, not even if no member was seen")
    mutating func noLink() {
        #expect(!members.suffice && members.rest == nil)
        members.add(isLinked: false, lastSeen: nil)
        members.add(isLinked: false, lastSeen: 1)
        #expect(!members.suffice && members.rest == nil)
    }

    @Test("Links suffice while all members that were seen in the last hour are linked")
    mutating func lastHour() {
        members.add(isLinked: true, lastSeen: 9_999)
        members.add(isLinked: false, lastSeen: nil)
        members.add(isLinked: false, lastSeen: 10_000 - 3_600)
        #expect(members.suffice && members.rest == nil)
        members.add(isLinked: false, lastSeen: 10_000 - 3_599)
        #expect(!members.suffice && members.rest == .seconds(1))
        members.add(isLinked: false, lastSeen: 9_000)
        #expect(!members.suffice && members.rest == .seconds(2_600))
    }

    @Test("A member that was seen in the future, before the clock was set back, counts as just seen")
    mutating func clockSetBack() {
        members.add(isLinked: true, lastSeen: nil)
        members.add(isLinked: false, lastSeen: .max)
        #expect(!members.suffice && members.rest == .seconds(3_600))
    }
}
