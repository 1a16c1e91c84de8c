// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonProtocol

/// Tests the table of networks in which members were met, and of the members' addresses there.
@Suite struct KnownNetworksTests {
    private var networks = KnownNetworks()
    private let device = DeviceIdentity().id
    private let place = KnownNetworks.Place(address: [192, 0, 2, 7], port: 21_740)

    private func identity(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    @Test("A member's addresses are known only in the network in which it was met")
    mutating func placesOfOneNetwork() {
        networks.met(device, at: [place], in: identity(1), unixTime: 1_000)
        #expect(networks.places(in: identity(1)) == [device: [place]])
        #expect(networks.contains(identity(1)) && !networks.contains(identity(2)))
        #expect(networks.places(in: identity(2)).isEmpty)
    }

    @Test("At most three addresses of a member are kept, and none with an invalid address or port")
    mutating func boundedPlaces() {
        let wrong = [KnownNetworks.Place(address: [1], port: 1), .init(address: [192, 0, 2, 7], port: 0)]
        let right = (1...5).map { KnownNetworks.Place(address: [192, 0, 2, $0], port: 1) }
        networks.met(device, at: wrong + right, in: identity(1), unixTime: 0)
        #expect(networks.places(in: identity(1))[device] == Array(right.prefix(3)))
    }

    @Test("A thirty-third network replaces the one that was used the longest ago")
    mutating func boundedNetworks() {
        for number in 0..<UInt8(32) { networks.use(identity(number), at: 1_000 + Int64(number)) }
        networks.use(identity(0), at: 200_000)
        networks.use(identity(32), at: 200_000)
        #expect(networks.count == 32)
        #expect(networks.contains(identity(0)) && !networks.contains(identity(1)))
    }

    @Test("A network is forgotten 90 days after its last use, and a use is recorded at most once a day")
    mutating func forgottenNetworks() {
        networks.use(identity(1), at: 0)
        let before = networks
        networks.use(identity(1), at: 86_399)
        #expect(networks == before)
        networks.use(identity(1), at: 86_400)
        networks.forgetOld(at: 91 * 86_400 - 1)
        #expect(networks.count == 1)
        networks.forgetOld(at: 91 * 86_400)
        #expect(networks.count == 0)
    }

    @Test("Members that leave are forgotten, and the network stays known")
    mutating func leavingMembers() {
        networks.met(device, at: [place], in: identity(1), unixTime: 0)
        networks.keep { _ in false }
        #expect(networks.places(in: identity(1)).isEmpty && networks.contains(identity(1)))
    }

    @Test("The state file keeps networks, and the key by which they are recognised")
    mutating func keptInTheStateFile() throws {
        var state = DeviceState(identity: DeviceIdentity(), name: "a")
        state.networks.met(device, at: [place], in: identity(1), unixTime: 1_000)
        #expect(try DeviceState(encoded: state.encoded()).networks == state.networks)
        let former = state.networks.key
        state.leaveCircle(isRemoval: false)
        #expect(state.networks.count == 0 && state.networks.key != former)
    }

    @Test("The maximum number of networks fits into a state file together with the largest circle")
    mutating func largestState() throws {
        let devices = (0..<32).map { _ in DeviceIdentity().id }
        let long = (1...3).map { KnownNetworks.Place(address: [UInt8](repeating: $0, count: 16), port: .max) }
        for number in 0..<UInt8(32) {
            for device in devices { networks.met(device, at: long, in: identity(number), unixTime: .max) }
        }
        var state = DeviceState(identity: DeviceIdentity(), name: String(repeating: "x", count: 63))
        state.networks = networks
        #expect(try state.encoded().count + Circle.maximumEncodedLength < DeviceState.maximumEncodedLength)
    }
}
