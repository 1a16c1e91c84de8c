// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests what holds for every order of events. A failure shows the seed of the order.
    struct RandomScheduleTests {
        private static let steps = 150

        @Test(
            "In any order of events only members' offers are shown, the wanted advertisement is on the air, no queue grows, and nothing happens after the end",
            arguments: 1...40 as ClosedRange<UInt64>)
        func schedule(seed: UInt64) async throws {
            try await World.withSwitchedRadio { service, radio, clock in
                var schedule = Schedule(service: service, radio: radio, clock: clock, seed: seed)
                for _ in 0..<Self.steps {
                    try await schedule.step()
                    try await schedule.check()
                }
                await service.stop()
                clock.advance(by: .seconds(86_400))
                for _ in 0..<100 { await Task.yield() }
                #expect(radio.payload.value == nil && clock.sleeperCount == 0)
            }
        }
    }
}

/// A random order of events for one service, whose other members are made up.
private struct Schedule {
    private static let clients = (1...3).map { ClientID(rawValue: ":1.\($0)") }
    private static let types = ["note", "page", "song"]
    private static let maximumMembers = 6

    let service: HandoffService
    let radio: SwitchedRadio
    let clock: ManualClock
    private var random: SeededGenerator
    private var members: [DeviceID] = []
    private var formerMembers: [DeviceID] = []
    private var activities: [(id: String, client: ClientID)] = []
    private var sequence: UInt32 = 0

    init(service: HandoffService, radio: SwitchedRadio, clock: ManualClock, seed: UInt64) {
        (self.service, self.radio, self.clock) = (service, radio, clock)
        random = SeededGenerator(seed: seed)
    }

    /// Makes one event happen.
    mutating func step() async throws {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: try await changeCircle()
        case 1, 2: try await takeIn()
        case 3: try await putOut()
        case 4, 5, 6: try await hear()
        case 7, 8: try await publish()
        case 9: try await changeActivity()
        case 10: await service.clientLeft(anyClient())
        case 11:
            await service.advertise(
                .random(using: &random), hidden: { type, _ in type == "song" ? Reason(code: "hidden") : nil })
        case 12: await service.attend(any(of: [.present, .idle, .away]))
        case 13:
            await service.useLocalNetworks(
                .known, tellsTitles: .random(using: &random), isLocked: .random(using: &random))
        case 14: radio.set(any(of: [.ready, .off]))
        default: clock.advance(by: .seconds(.random(in: 1...400, using: &random)))
        }
    }

    /// Checks what must hold after each event.
    func check() async throws {
        let known = Set(await service.members.map(\.device))
        for offer in await service.offers() { #expect(known.contains(offer.device)) }
        await isOnAir()
        if await service.circle == nil { #expect(await service.advertising.slot.payload == nil) }
        let counts = await service.counts
        for (table, count) in counts { #expect(count <= 64, "\(table)") }
        #expect(counts["peers"] == members.count)
    }

    /// Waits until the wanted advertisement is on the air. The last event may still change it.
    private func isOnAir() async {
        while await radio.payload.value != service.advertising.slot.payload { await Task.yield() }
    }

    private mutating func changeCircle() async throws {
        if await service.circle == nil {
            try await service.createCircle(name: "")
        } else if Int.random(in: 0..<4, using: &random) == 0 {
            try await leaveCircle()
            formerMembers += members
            members = []
        } else {
            try await service.rename(to: "anna \(Int.random(in: 0..<100, using: &random))")
        }
    }

    /// Leaves the circle. The farewell ends by the clock, because no made-up member answers.
    private func leaveCircle() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await service.leaveCircle() }
            group.addTask {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private mutating func takeIn() async throws {
        guard await service.circle != nil, members.count < Self.maximumMembers else { return }
        let member = DeviceIdentity()
        try await service.takeIn(member)
        members.append(member.id)
    }

    private mutating func putOut() async throws {
        guard let index = members.indices.randomElement(using: &random) else { return }
        let member = members.remove(at: index)
        try await service.putOut(member)
        formerMembers.append(member)
    }

    /// Hears a member, a former member or a stranger.
    private mutating func hear() async throws {
        guard await service.circle != nil,
            let device = (members + formerMembers.suffix(2) + [DeviceIdentity().id]).randomElement(using: &random),
            let type = Self.types.randomElement(using: &random)
        else { return }
        sequence += 1
        try await service.hear(device, offering: type, sequence: sequence, at: "\(device.short % 4)")
        if .random(using: &random) { try await service.learn(device, offers: type, sequence: sequence) }
    }

    private mutating func publish() async throws {
        guard activities.count < 8, let type = Self.types.randomElement(using: &random) else { return }
        let client = anyClient()
        let id = try await service.publish(
            ActivityState(activityType: type), team: "", needsSave: false, client: client)
        try await service.becomeCurrent(id, client: client)
        activities.append((id, client))
    }

    private mutating func changeActivity() async throws {
        guard let index = activities.indices.randomElement(using: &random) else { return }
        let (id, client) = activities.remove(at: index)
        // The program may have left meanwhile.
        if .random(using: &random) { try? await service.resignCurrent(id, client: client) }
        try? await service.invalidate(id, client: client)
    }

    private mutating func anyClient() -> ClientID { any(of: Self.clients) }

    private mutating func any<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
