// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests that the service remembers nothing about former members.
    struct FormerMemberTests {
        private static let circles = 5
        private static let membersPerCircle = 40

        @Test("No table keeps data about 40 members that join and leave each of five circles")
        func tables() async throws {
            try await World.withDevice { anna, clock in
                for _ in 0..<Self.circles {
                    try await anna.service.createCircle(name: "")
                    let before = await anna.service.tables
                    for number in 0..<Self.membersPerCircle {
                        try await anna.service.memberComesAndGoes(heardAt: "\(number)")
                    }
                    // Entries that belong to no member end at their time limits.
                    clock.advance(by: .seconds(3_600))
                    // No event reports that the last table is empty.
                    while await anna.service.tables != before { await Task.yield() }
                    _ = try await anna.service.leaveCircle()
                }
            }
        }
    }
}

extension HandoffService {
    /// The counts, apart from those that change by themselves.
    fileprivate var tables: [String: Int] {
        counts.filter { !["tasks", "alarms", "eventsWaiting"].contains($0.key) }
    }

    /// Adds a member to the circle, learns everything about it, and removes it.
    fileprivate func memberComesAndGoes(heardAt address: String) throws {
        let member = DeviceIdentity()
        try takeIn(member)
        try learnAll(about: member.id, at: address)
        let known = counts
        let tables = [
            "peers", "heardDevices", "offers", "namedActivities", "peerClocks", "owedAcceptances",
        ]
        for table in tables { #expect(known[table, default: 0] > 0, "\(table)") }
        try putOut(member.id)
    }

    private func learnAll(about device: DeviceID, at address: String) throws {
        try hear(device, offering: "note", sequence: 1, at: address)
        try learn(device, offers: "note", sequence: 1)
        learnClock(of: device, from: JoinedTime(clock.unixTime + 10_000).bytes)
        peers.owedAcceptances.insert(Acceptance(instance: [1]), to: device, at: clock.uptime)
        _ = peers[device].probes.take(at: clock.uptime)
        peers[device].streamGrants.fetched([1])
        peers[device].earlyAcceptances.insert(Acceptance(instance: [1]), at: clock.uptime)
    }
}
