// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests ``OpenInvitations`` alone.
struct OpenInvitationsTests {
    private var subject = OpenInvitations()

    private static func invitation() throws -> Invitation {
        let inviter = DeviceIdentity()
        let circle = try Circle(foundedBy: inviter, name: "anna")
        return Invitation(from: inviter.keys, name: "anna", to: circle.id, at: 1_800_000_000, endpoints: [])
    }

    @Test("An invitation can be used once, and expires after ten minutes")
    mutating func lifetime() throws {
        let invitation = try Self.invitation()
        let (first, second) = (subject.insert(invitation, at: .zero), subject.insert(invitation, at: .seconds(1)))
        #expect(subject.deadline == .seconds(600))
        #expect(subject.over(at: .milliseconds(599_999)).isEmpty)
        #expect(subject.over(at: .seconds(600)) == [first])
        let spent = [subject.remove(first), subject.remove(first)]
        #expect(spent == [invitation, nil])
        #expect(Array(subject.all.keys) == [second] && subject.deadline == .seconds(601))
    }

    @Test("Only the first device that comes with an invitation may come again with it")
    mutating func isTheFirstOnes() throws {
        let name = subject.insert(try Self.invitation(), at: .zero)
        let (joiner, other) = (DeviceIdentity().id, DeviceIdentity().id)
        let taken = [joiner, other, joiner].map { subject.take(name, by: $0) }
        #expect(taken == [true, false, true])
        _ = subject.remove(name)
        let isOver = !subject.take(name, by: joiner)
        #expect(isOver)
    }

    @Test("At most eight invitations are open at a time, and a ninth replaces the oldest")
    mutating func limit() throws {
        let invitation = try Self.invitation()
        let names = (0..<8).map { subject.insert(invitation, at: .seconds($0)) }
        #expect(subject.nextToGiveWay == names[0])
        _ = subject.remove(names[0])
        #expect(subject.nextToGiveWay == nil && subject.count == 7)
    }
}
