// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Testing

@testable import BatonService

/// Tests ``Peers`` alone.
struct PeersTests {
    private let device = DeviceIdentity().id
    private var subject = Peers()

    @Test("A device that is not a member leaves no data behind, and its news is not checked")
    mutating func strangers() {
        subject[device].lastSeen = 5
        #expect(subject[device].lastSeen == nil && subject.count == 0)
        let isJudged = subject.judges([1], of: device, against: [], at: .zero)
        #expect(!isJudged)
        subject.membersChanged(to: [device])
        subject[device].lastSeen = 5
        subject.membersChanged(to: [device])
        #expect(subject[device].lastSeen == 5)
    }

    @Test("After a new name, a device's next name waits for ten minutes, even if the device has just become a member")
    mutating func formerNames() {
        subject.renamed([device], at: .zero)
        #expect(subject.devicesWithHeldNames(at: .seconds(599)) == [device])
        #expect(subject.devicesWithHeldNames(at: .seconds(600)).isEmpty)
        subject.membersChanged(to: [device])
        subject.renamed([device], at: .seconds(600))
        #expect(subject.devicesWithHeldNames(at: .seconds(601)) == [device])
    }

    @Test("Devices that join and leave endlessly leave no data behind")
    mutating func whoLeft() {
        subject.membersChanged(to: [device])
        for number in 0..<1_000 {
            let other = DeviceIdentity().id
            subject.membersChanged(to: [device, other])
            for member in [device, other] {
                subject[member].news.judged([UInt8(number & 0xFF)], leadingTo: [])
                subject[member].networkFailures.unreached(at: .zero)
                subject[member].streamGrants.fetched([1])
                subject.owedAcceptances.insert(Acceptance(instance: [1]), to: member, at: .zero)
            }
            subject.membersChanged(to: [device])
        }
        #expect(subject.count == 1 && subject.all.count(where: \.news.isUsed) == 1)
        let owed = subject.owedAcceptances.take(for: device, at: .zero).count
        #expect(owed > 0 && subject.owedAcceptances.count == 0)
    }

    @Test("Devices of one account share its limit for checked news, and each account has its own limit")
    mutating func newsOfAnAccount() {
        let (thief, honest) = (DeviceIdentity().id, DeviceIdentity().id)
        let phantoms = (0..<126).map { _ in DeviceIdentity().id }
        subject.membersChanged(
            to: Set(phantoms + [thief, honest]),
            accounts: Dictionary(uniqueKeysWithValues: phantoms.map { ($0, thief) }))
        var judged = 0
        for (number, phantom) in phantoms.enumerated()
        where subject.judges([UInt8(number)], of: phantom, against: [], at: .zero) { judged += 1 }
        #expect(judged == NewsPace.limit.burst)
        let isJudged = subject.judges([1], of: honest, against: [], at: .zero)
        #expect(isJudged)
    }

    @Test("A device may ask for as many streams beyond its fetches as it may have open, then for one a second")
    mutating func paceOfStreams() {
        subject.membersChanged(to: [device])
        func asks(at uptime: Double, _ subject: inout Peers) -> Bool {
            subject.mayAskForStreams(device, of: [1], at: .seconds(uptime))
        }
        subject[device].streamGrants.fetched([1])
        let free = (0..<100).filter { _ in asks(at: 1, &subject) }
        #expect(free.count == 100, "it has yet to open those that belong to its fetch")
        let isMore = subject[device].streamGrants.opened([1])
        #expect(!isMore)
        let asked = (0..<100).filter { _ in asks(at: 1, &subject) }
        #expect(asked.count == StreamLimits.maximumPerDevice)
        let later = [1.9, 2, 2].map { asks(at: $0, &subject) }
        #expect(later == [false, true, false])
    }

    @Test("A beacon that opens at another time causes one dial in ten minutes, and delays no other dial")
    mutating func byClock() {
        subject.membersChanged(to: [device])
        let endpoint = Endpoint(transport: .simulated, address: "replay", port: 0x80)
        let found = [0, 599, 600].map { subject[device].foundByClock(at: endpoint, uptime: .seconds($0)) }
        #expect(found == [true, false, true])
        let syncs = subject[device].dialTurns.takeSync(at: .zero)
        #expect(syncs)
    }

    @Test("A device that is heard again wakes all present waiters, and later ones wait for the next time")
    mutating func reappearances() async throws {
        subject.membersChanged(to: [device])
        subject[device].reappeared()
        let (first, second) = (subject[device].nextReappearance(), subject[device].nextReappearance())
        #expect(first === second && subject[device].isReappearanceAwaited)
        subject[device].reappeared()
        try await first.value()
        #expect(!subject[device].isReappearanceAwaited)
        let after = subject[device].nextReappearance()
        #expect(after !== first)
        subject[device].reappeared()
        try await after.value()
    }
}
