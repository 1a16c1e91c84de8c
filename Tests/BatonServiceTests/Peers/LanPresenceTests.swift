// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import LocalDatagrams
import LocalNetworks
import Logging
import Synchronization
import Testing
import TraceModel

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests ``LanPresence`` with a state file, but without sockets and without a service.
    struct LanPresenceTests {
        private final class Carrier: DatagramCarrier {
            let received = AsyncStream<ReceivedDatagram> { $0.finish() }
            let isRefused = false
            private let heard = Mutex<[LocalNetwork]>([])

            var networks: [LocalNetwork] { heard.withLock(\.self) }
            func listen(in networks: [LocalNetwork]) { heard.withLock { $0 = networks } }
            func send(_ datagram: [UInt8], by family: AddressFamily, in interface: UInt32) {}
        }

        private static let home = LocalNetwork(
            interface: 2, name: "lan", hasBroadcast: true,
            addresses: [.init(bytes: [192, 0, 2, 1], prefixLength: 24)], hasDefaultRoute: true,
            gateways: [.init(address: [192, 0, 2, 254], prefixLength: 24, linkLayerAddress: [2, 0, 0, 0, 0, 1])])
        private let now = BeaconAdvertiser.Moment(unixTime: 1_800_000_000, uptime: .seconds(1_000))
        private let carrier = Carrier()

        private var presence: LanPresence {
            LanPresence(carrier, logger: Logger(label: "test"), trace: TraceRecorder())
        }

        @Test("Datagrams are received only in a circle, and not while this device is silent or after it has stopped")
        func receiving() async throws {
            try await World.with { world in
                var (lan, store) = (presence, try StateStore(directory: world.stateDirectory("anna"), name: "anna"))
                _ = lan.networksChanged(to: [Self.home], &store, at: now)
                #expect(carrier.networks.isEmpty)
                try store.update { $0.circle = try Circle(foundedBy: $0.identity, name: "anna") }
                _ = lan.timePassed(&store, at: now)
                #expect(carrier.networks == [Self.home])
                for isMuted in [true, false] {
                    let actions = lan.mute(isMuted, &store, at: now)
                    #expect(actions == [.searchClocksAgain])
                    #expect(carrier.networks == (isMuted ? [] : [Self.home]))
                }
                lan.stop()
                _ = lan.timePassed(&store, at: now)
                #expect(carrier.networks.isEmpty)
            }
        }

        @Test(
            "A device is dialled in a network only when the place where it listens is on disk",
            arguments: [true, false])
        func remembering(isWritable: Bool) async throws {
            try await World.with { world in
                var (lan, store) = (presence, try StateStore(directory: world.stateDirectory("anna"), name: "anna"))
                _ = lan.networksChanged(to: [Self.home], &store, at: now)
                if !isWritable { store.release() }
                let (device, place) = (DeviceIdentity().id, KnownNetworks.Place(address: [192, 0, 2, 7], port: 21_740))
                let actions = lan.met(device, at: place, from: [192, 0, 2, 1], to: [192, 0, 2, 7], &store, at: now)
                #expect(actions.contains(.dial(device, .lan)) == isWritable)
                let endpoints = lan.endpoints(of: device, store.state.networks, at: now.uptime)
                #expect(endpoints.map(\.address) == (isWritable ? ["192.0.2.7"] : []))
            }
        }
    }
}
