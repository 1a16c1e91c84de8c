// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

@testable import BatonService

/// Tests what the stored state says of the circle, and of the members that know it.
struct CircleStateTests {
    private let anna = DeviceIdentity()
    private let berta = DeviceIdentity()
    private var state: DeviceState

    init() throws {
        var circle = try Circle(foundedBy: anna, name: "anna")
        try circle.add(JoinRequest(berta, name: "berta", circle: circle.id), by: anna)
        state = DeviceState(identity: anna, name: "anna")
        state.circle = circle
    }

    @Test("A change of the circle is news to all other members, and no other change is")
    mutating func userChanges() throws {
        #expect(state.others == [berta.id] && state.unacknowledged == [berta.id])
        state.acknowledged = [berta.id]
        state.changeCircle { $0.name = "another" }
        #expect(state.unacknowledged.isEmpty)
        try state.changeCircle { try $0.circle?.rename(to: "another", by: $0.identity) }
        #expect(state.unacknowledged == [berta.id])
    }

    @Test("A member knows the circle if its news contain all of it")
    mutating func news() throws {
        let circle = try #require(state.circle)
        state.merge(circle, isNew: false, isKnown: true, by: berta.id, at: 7)
        #expect(state.acknowledged == [berta.id] && state.inTouch == 7)
        state.merge(circle, isNew: true, isKnown: false, by: berta.id, at: 8)
        #expect(state.acknowledged.isEmpty && state.inTouch == 8)
        let carla = DeviceIdentity()
        var grown = circle
        try grown.add(JoinRequest(carla, name: "carla", circle: circle.id), by: anna)
        try state.admit(carla.id, with: CircleNews(encoded: grown.encoded()), to: circle, at: 9)
        #expect(state.isMember(carla.id) && state.unacknowledged == [berta.id])
    }

    @Test("This device looks for all members a day after the last contact, or if its clock went back")
    mutating func alone() {
        state.inTouch = 1_800_000_000
        #expect(!state.isAlone(at: 1_800_000_000) && !state.isAlone(at: 1_800_086_399))
        #expect(state.isAlone(at: 1_800_086_400) && state.isAlone(at: 1_799_999_999) && state.isAlone(at: .min))
        #expect(state.solitude(at: 1_800_086_399).isEmpty && state.solitude(at: 1_800_086_400).count == 1)
    }
}
