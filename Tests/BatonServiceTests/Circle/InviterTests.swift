// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.CircleLane {
    /// Tests the ways to reach the inviting device that an invitation names.
    struct InviterTests {
        @Test(
            "An inviter that advertises at another address than its invitation names is found among the advertisers"
        )
        func privateAddress() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let carla = try await world.device("carla")
                let berta = try await world.device("berta")
                try await anna.service.createCircle(name: "")
                // A stranger also advertises.
                try await carla.service.createCircle(name: "")
                try await carla.publish("org.example.other")
                let invitation = try await anna.service.inviteByAddress("elsewhere")
                // Without a circle, the device listens when a person looks for offers.
                await berta.service.look()
                try await berta.until("both are heard", after: .radioEvent) {
                    await berta.service.counts["strangers"] == 2
                }
                try await berta.service.joinCircle(invitation)
                #expect(await berta.service.status().members.count == 2)
                try await anna.publish("org.example.note")
                _ = try await berta.offer(ofType: "org.example.note")
            }
        }

        @Test("A device that leaves its circle while it opens an invitation gives none away")
        func leavesMeanwhile() async throws {
            try await World.with { world in
                let (anna, radio) = try await world.device("anna", radioProxy: { RefusingRadio($0) })
                try await anna.service.createCircle(name: "")
                radio.holdAdvertisements(true)
                let invitation = Task { try await anna.service.invite().text }
                try await anna.holds(1, of: "invitations")
                let leaving = Task { try await anna.service.leaveCircle() }
                try await anna.until("it has left", after: .stateWrite) { await anna.service.circle == nil }
                radio.holdAdvertisements(false)
                let error = await #expect(throws: BatonError.self) { try await invitation.value }
                #expect(error?.reason?.failure == .leftMeanwhile)
                _ = try await leaving.value
                #expect(await anna.service.counts["invitations"] == 0)
            }
        }

        @Test("An invitation is refused if it names only transports that are not in use here, and the error says so")
        func otherTransports() async throws {
            try await World.with { world in
                let (anna, berta) = (try await world.device("anna", tcp: true), try await world.device("berta"))
                try await anna.service.createCircle(name: "")
                for transport in [TransportKind.tcp, .l2cap] {
                    let invitation = Invitation(
                        from: await anna.service.identity.keys, name: "anna",
                        to: try #require(await anna.service.circle).id,
                        at: SystemClock().unixTime,
                        endpoints: [.init(transport: transport, address: "192.0.2.1", port: 1)])
                    let error = await #expect(throws: BatonError.self) {
                        try await berta.service.joinCircle(invitation.text())
                    }
                    #expect(error?.code == .connectionUnavailable)
                    #expect(error?.reason == Reason(.waysUnused, ["laptop": "anna"]))
                }
            }
        }

        @Test("Strangers' advertisements do not fill memory, and are forgotten when they end")
        func strangersAreLimited() async throws {
            try await World.withDevice { anna in
                for number in 0..<100 {
                    await anna.service.radioEvent(
                        .sighted(Sighting(address: "\(number)", payload: [UInt8](repeating: 1, count: 24), signal: -40))
                    )
                }
                #expect(await anna.service.counts["strangers"] == UnknownAdvertisers.maximum)
                for number in 0..<100 { await anna.service.radioEvent(.lost(address: "\(number)")) }
                #expect(await anna.service.counts["strangers"] == 0)
            }
        }
    }
}

extension HandoffService {
    /// Makes an invitation that names an address of another radio.
    fileprivate func inviteByAddress(_ address: String) async throws -> String {
        let circle = try #require(circle)
        let port = try #require(await reachability.listeners[.simulated]?.endpoints().first).port
        let invitation = Invitation(
            from: identity.keys, name: "anna", to: circle.id, at: clock.unixTime,
            endpoints: [.init(transport: radio.kind, address: address, port: port)])
        _ = invitations.insert(invitation, at: clock.uptime)
        reachabilityChanged()
        return try invitation.text()
    }
}
