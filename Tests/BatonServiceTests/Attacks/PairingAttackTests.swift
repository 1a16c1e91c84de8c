// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Logging
import SimulatedTransport
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests {
    /// Somebody whose digits were compared, and who then is another than he said (CVE-2025-66270).
    struct PairingAttackTests {
        /// A device made by hand: it says yes as one identity, and goes on as it likes.
        private struct Impostor {
            let radio: SimulatedRadio
            /// Whose certificate it shows.
            let channels: SecureChannels

            init(_ radio: SimulatedRadio, certificate: DeviceIdentity) throws {
                self.radio = radio
                channels = SecureChannels(
                    certificate: try DeviceCertificate(identity: certificate), keyring: Keyring(),
                    doorkeeper: Doorkeeper(clock: ManualClock()) { _ in },
                    logger: Logger(label: "impostor") { _ in SwiftLogNoOpLogHandler() })
            }

            /// Dials a device whose user pairs and agrees with it, as `identity`; what the knock that follows is to be made with.
            func agree(as identity: DeviceIdentity, at door: Endpoint) async throws -> PairwiseKey {
                let wire = try await channels.dialToPair(door, over: radio, timeout: .seconds(30))
                var machine = PairingMachine(
                    role: .initiator, transport: .simulated, identity: identity, name: "impostor", circle: nil,
                    random: [UInt8](randomBytes: 32))
                var events = [PairingMachine.Event.opened]
                var incoming = wire.incoming.makeAsyncIterator()
                while true {
                    while !events.isEmpty {
                        for action in machine.handle(events.removeFirst()) {
                            switch action {
                            case .send(let bytes): wire.send(bytes)
                            case .show: events.append(.decided(true))
                            case .paired(_, let key): return key
                            case .fail(let failure): throw failure
                            }
                        }
                    }
                    guard let bytes = await incoming.next() else { throw Missing(what: "an agreement") }
                    events.append(.received(bytes))
                }
            }

            /// The channel that follows, whoever's certificate the other side has.
            func dial(_ door: Endpoint, key: PairwiseKey) async throws -> SecureChannel {
                try await channels.dial(
                    door, over: radio, credential: PeerCredential(peer: .paired, key: key) { _ in true },
                    timeout: .seconds(30))
            }
        }

        /// Both users say yes; the key that the two share from then on.
        private func agree(
            _ impostor: Impostor, as identity: DeviceIdentity, with device: Device
        ) async throws -> (pairing: String, key: PairwiseKey) {
            async let shown = device.service.pair(address: nil, client: Device.app)
            try await eventually("the door is open") { await device.service.channels.pairingDoor.isOpen }
            async let key = impostor.agree(as: identity, at: device.door)
            let pairing = try await shown.pairing
            try await device.service.confirmPairing(pairing, same: true, client: Device.app)
            return (pairing, try await key)
        }

        @Test("Who introduced himself as one device and shows another's certificate takes nobody into a circle")
        func anotherCertificate() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let (said, shown) = (DeviceIdentity(), DeviceIdentity())
                let impostor = try Impostor(try await world.radio("mallory"), certificate: shown)
                let (pairing, key) = try await agree(impostor, as: said, with: anna)
                // TLS's client believes itself done before the server has judged.
                if let channel = try? await impostor.dial(anna.door, key: key) {
                    await #expect(throws: ChannelFailure.self, "anna asks to join nothing") {
                        try await channel.nextFrame(within: .seconds(30))
                    }
                }
                await anna.service.clientLeft(Device.app)
                await #expect(throws: ServiceError.self) {
                    try await anna.service.paired(pairing, client: Device.app)
                }
                try await anna.expectNothingLeft()
            }
        }

        @Test("Who introduced himself as one device and asks to join as another is not taken in")
        func anotherJoins() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                try await anna.service.createCircle(name: "anna")
                let before = await anna.service.circle
                let said = DeviceIdentity()
                let impostor = try Impostor(try await world.radio("mallory"), certificate: said)
                let (pairing, key) = try await agree(impostor, as: said, with: anna)
                let channel = try await impostor.dial(anna.door, key: key)
                // The certificate is as agreed on, the keys that would be in the roster are not.
                let asks = DeviceIdentity(
                    certificateKey: said.certificateKey, signingKey: DeviceIdentity().signingKey,
                    agreementKey: DeviceIdentity().agreementKey)
                let circle = try #require(before)
                channel.send(.join(try JoinRequest(asks, name: "other", circle: circle.id).encoded()))
                await #expect(throws: ChannelFailure.self, "no Welcome") {
                    try await channel.nextFrame(within: .seconds(30))
                }
                let error = await #expect(throws: ServiceError.self) {
                    try await anna.service.paired(pairing, client: Device.app)
                }
                #expect(error?.code == .pairingFailed)
                #expect(await anna.service.circle == before)
                #expect(await anna.memberNames == ["anna"])
            }
        }

        @Test("Who asks to join as the device that he introduced himself as is taken in")
        func trueJoins() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                try await anna.service.createCircle(name: "anna")
                let circle = try #require(await anna.service.circle)
                let said = DeviceIdentity()
                let impostor = try Impostor(try await world.radio("mallory"), certificate: said)
                let (pairing, key) = try await agree(impostor, as: said, with: anna)
                let channel = try await impostor.dial(anna.door, key: key)
                channel.send(.join(try JoinRequest(said, name: "other", circle: circle.id).encoded()))
                guard case .welcome = try await channel.nextFrame(within: .seconds(30)) else {
                    Issue.record("no Welcome")
                    return
                }
                channel.send(.joined([]))
                try await anna.service.paired(pairing, client: Device.app)
                #expect(await anna.memberNames == ["anna", "other"])
            }
        }
    }
}
