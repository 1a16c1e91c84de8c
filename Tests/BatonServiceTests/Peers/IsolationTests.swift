// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import HostAddresses
import LocalDatagrams
import LocalNetworks
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests that a network that keeps laptops apart is told apart from a firewall.
    struct IsolationTests {
        /// A carrier for hosts that all have the same answer at the link layer.
        private struct Carrier: DatagramCarrier {
            let answer: NeighbourAnswer
            let isRefused = false
            let received = AsyncStream<ReceivedDatagram> { $0.finish() }
            func listen(in networks: [LocalNetwork]) {}
            func send(_ datagram: [UInt8], by family: AddressFamily, in interface: UInt32) {}
            func answer(of address: [UInt8], on interface: UInt32) -> NeighbourAnswer { answer }
        }

        /// Creates a device whose dials by TCP fail.
        private func device(_ name: String, in world: World, answer: NeighbourAnswer) async throws -> Device {
            try await world.device(
                name, tcp: true, clock: ManualClock(),
                wrapTCP: { tcp in
                    let failing = FailingTCP(OneAddressTCP(proxied: tcp))
                    failing.fail(by: .refused)
                    return failing
                }, datagrams: Carrier(answer: answer))
        }

        /// Returns a network that contains an address of another device.
        private static func network(with address: [UInt8]) -> LocalNetwork {
            let own = Array(address.dropLast()) + [(address.last ?? 0) ^ 1]
            return LocalNetwork(
                interface: 1, name: "lan", hasBroadcast: true, addresses: [.init(bytes: own, prefixLength: 8)],
                hasDefaultRoute: true,
                gateways: [.init(address: own, prefixLength: 8, linkLayerAddress: [2, 0, 0, 0, 0, 1])])
        }

        @Test(
            "Only silence at the link layer shows that a network, known or not, keeps laptops apart",
            arguments: [
                (NeighbourAnswer.silent, true, "network-isolated"), (.silent, false, "network-isolated"),
                (.answers, true, "tcp-unanswered"), (.unknown, true, "tcp-unanswered"),
            ])
        func toldApart(answer: NeighbourAnswer, isKnown: Bool, code: String) async throws {
            try await World.with { world in
                let anna = try await device("anna", in: world, answer: answer)
                let berta = try await device("berta", in: world, answer: answer)
                try await anna.service.createCircle(name: "")
                try await berta.service.joinCircle(anna.service.invite().text)
                let origin = await anna.identityID
                try await anna.publish("note", streams: true)
                _ = try await berta.takeOver("note")
                let told = try #require(await berta.service.told(by: origin))
                await berta.service.networksChanged([Self.network(with: told)])
                if isKnown { _ = try await berta.service.knowNetworks() }
                let ends = try await StreamEnds(anna, berta)
                #expect(ends.other.transport == "simulated")
                let findings = await berta.service.status().findings.filter {
                    $0.code.hasPrefix("tcp-") || $0.code == "network-isolated"
                }
                #expect(findings.map(\.code) == [code])
                #expect(findings.first?.reason.values["laptop"] == "anna")
                ends.close()
            }
        }
    }
}

extension HandoffService {
    /// Returns the first IP address that a device has told.
    fileprivate func told(by device: DeviceID) -> [UInt8]? {
        peers[device].addresses.told(at: clock.uptime).lazy.compactMap {
            HostAddress.parsing(String($0.address.prefix { $0 != "%" }))?.bytes
        }.first
    }
}
