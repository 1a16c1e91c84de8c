// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

/// Tests which devices may name a device.
@Suite struct CircleNamingTests {
    let founder = DeviceIdentity()
    let thief = DeviceIdentity()
    let friend = DeviceIdentity()
    var circle: Circle

    init() throws {
        circle = try Circle(foundedBy: founder, name: "Desk")
        try circle.add(thief, "Snake", by: founder)
    }

    /// Returns a request by an earlier version of Baton, whose device has not signed its name.
    private func former(_ identity: DeviceIdentity) throws -> JoinRequest {
        var message = try WireJoinRequest(
            serializedBytes: JoinRequest(identity, name: "Sofa", circle: circle.id).encoded())
        message.clearNaming()
        return try JoinRequest(encoded: Array(try message.serializedData() as Data), circle: circle.id)
    }

    /// Returns the circle with Adds of the friend under another name, as the thief sends it.
    ///
    /// The Adds are signed by 16 made-up devices, so that one of them probably comes first in the
    /// order.
    private func renamedByTheThief() throws -> Circle {
        var told = circle
        for _ in 0..<16 {
            let phantom = DeviceIdentity()
            try told.add(phantom, "Phone", by: thief)
            let add = try Statement(adding: friend, "Stolen laptop", to: circle.id, by: phantom)
            told = try Circle(encoded: told.changed { $0.statements.append(add.message) })
        }
        return told
    }

    @Test("No member can rename another, because a joining device has signed its own name")
    mutating func joinerSignsItsName() throws {
        try circle.add(friend, "Sofa", by: founder)
        _ = try circle.merge(renamedByTheThief())
        #expect(circle.roster.members[friend.id]?.name == "Sofa")
    }

    @Test("A device that an earlier version added signs its name once, and so gets its own name back")
    mutating func signedLater() throws {
        try circle.add(former(friend), by: founder)
        // The order of random devices decides whether the thief's name counts.
        for _ in 0..<100 where circle.roster.members[friend.id]?.name != "Stolen laptop" {
            var told = circle
            _ = try told.merge(renamedByTheThief())
            if told.roster.members[friend.id]?.name == "Stolen laptop" { circle = told }
        }
        try #require(circle.roster.members[friend.id]?.name == "Stolen laptop")
        var state = DeviceState(identity: friend, name: "Sofa")
        (state.circle, state.acknowledged) = (circle, [founder.id])
        state.signName()
        #expect(state.circle?.roster.members[friend.id]?.name == "Sofa")
        #expect(state.acknowledged.isEmpty, "the others have yet to hear of it")
        let signed = state.circle
        state.signName()
        #expect(state.circle == signed)
    }
}
