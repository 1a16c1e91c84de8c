// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests attacks by a device that uses another identity after the digits were compared
    /// (CVE-2025-66270).
    struct PairingAttackTests {
        /// Lets both users agree, and returns the key that the two devices then share.
        private func agree(
            _ impostor: Impostor, as identity: DeviceIdentity, with device: Device
        ) async throws -> (pairing: String, key: PairwiseKey) {
            async let shown = device.service.pair(address: nil, client: Device.app)
            try await device.doorOpens()
            async let key = impostor.agree(as: identity, at: device.door)
            let pairing = try await shown.pairing
            try await device.service.confirmPairing(pairing, same: true, client: Device.app)
            return (pairing, try await key)
        }

        @Test("A device that shows another certificate than it introduced takes no device into a circle")
        func anotherCertificate() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let (said, shown) = (DeviceIdentity(), DeviceIdentity())
                let impostor = try Impostor(try await world.radio("mallory"), certificate: shown)
                let (pairing, key) = try await agree(impostor, as: said, with: anna)
                // TLS's client completes its handshake before the server has judged the
                // certificate.
                if let channel = try? await impostor.dial(anna.door, key: key) {
                    await #expect(throws: ChannelFailure.self, "anna asks to join nothing") {
                        try await channel.nextFrame(within: .seconds(30))
                    }
                }
                await anna.service.clientLeft(Device.app)
                await #expect(throws: BatonError.self) {
                    try await anna.service.paired(pairing, client: Device.app)
                }
                try await anna.expectNothingLeft()
            }
        }

        @Test("A device that asks to join with other keys than it introduced is not taken in")
        func anotherJoins() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                try await anna.service.createCircle(name: "")
                let before = await anna.service.circle
                let said = DeviceIdentity()
                let impostor = try Impostor(try await world.radio("mallory"), certificate: said)
                let (pairing, key) = try await agree(impostor, as: said, with: anna)
                let channel = try await impostor.dial(anna.door, key: key)
                // The certificate is the introduced one, but the keys for the roster are not.
                let asks = DeviceIdentity(
                    certificateKey: said.certificateKey, signingKey: DeviceIdentity().signingKey,
                    agreementKey: DeviceIdentity().agreementKey)
                let circle = try #require(before)
                channel.send(.join(try JoinRequest(asks, name: "other", circle: circle.id).encoded()))
                await #expect(throws: ChannelFailure.self, "no Welcome") {
                    try await channel.nextFrame(within: .seconds(30))
                }
                let error = await #expect(throws: BatonError.self) {
                    try await anna.service.paired(pairing, client: Device.app)
                }
                #expect(error?.code == .pairingFailed)
                #expect(await anna.service.circle == before)
                #expect(await anna.memberNames == ["anna"])
            }
        }

        @Test("A device that asks to join with the keys that it introduced is taken in")
        func trueJoins() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                try await anna.service.createCircle(name: "")
                let circle = try #require(await anna.service.circle)
                let said = DeviceIdentity()
                let impostor = try Impostor(try await world.radio("mallory"), certificate: said)
                let (pairing, key) = try await agree(impostor, as: said, with: anna)
                let channel = try await impostor.join(circle.id, of: anna, as: said, key: key)
                channel.send(.joined([]))
                try await anna.service.paired(pairing, client: Device.app)
                #expect(await anna.memberNames == ["anna", "other"])
            }
        }

        @Test("Strangers that dial to pair while two devices complete their pairing are disconnected")
        func strangersDuringCompletion() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                try await anna.service.createCircle(name: "")
                let circle = try #require(await anna.service.circle)
                let said = DeviceIdentity()
                let impostor = try Impostor(try await world.radio("berta"), certificate: said)
                let (pairing, key) = try await agree(impostor, as: said, with: anna)
                let channel = try await impostor.join(circle.id, of: anna, as: said, key: key)
                // Anna waits for Joined.
                let radio = try await world.radio("mallory")
                var strangers: [Stranger] = []
                for _ in 0..<20 {
                    // A radio that advertises something else at the moment refuses the dial.
                    guard let stranger = try? await Stranger.dial(anna.door, over: radio) else { continue }
                    stranger.send(Array("baton pair 2".utf8) + [UInt8](repeating: 1, count: 100))
                    strangers.append(stranger)
                }
                #expect(!strangers.isEmpty)
                channel.send(.joined([]))
                try await anna.service.paired(pairing, client: Device.app)
                for stranger in strangers { #expect(try await stranger.receivedToEnd().count <= 16) }
                #expect(await anna.memberNames == ["anna", "other"])
            }
        }
    }
}
