// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Testing

@testable import BatonService

/// Tests ``PeerAddresses`` alone.
struct PeerAddressesTests {
    private static let (hail, replay) = (endpoint("hail"), endpoint("replay"))

    private var subject = PeerAddresses()

    private static func endpoint(_ address: String) -> Endpoint {
        Endpoint(transport: .simulated, address: address, port: 0x80)
    }

    @Test("A hail's address is tried for a minute, before the address of a beacon with another clock's time")
    mutating func radio() {
        subject.foundByClock(at: Self.replay, uptime: .seconds(10))
        subject.hailed(from: Self.hail, at: .zero)
        #expect(subject.radio(at: .seconds(59)) == [Self.hail, Self.replay])
        #expect(subject.radio(at: .seconds(60)) == [Self.replay])
        #expect(subject.radio(at: .seconds(70)).isEmpty)
    }

    @Test("A device's announced addresses are tried for a day, and the latest announcement counts")
    mutating func told() {
        subject.told([Self.hail], at: .zero)
        #expect(subject.told(at: .seconds(86_399)) == [Self.hail])
        #expect(subject.told(at: .seconds(86_400)).isEmpty)
        subject.told([], at: .zero)
        #expect(subject.told(at: .zero).isEmpty)
    }

    @Test("Among a device's announced addresses, the one at which it last proved itself comes first")
    mutating func ownFirst() {
        let told = (1...3).map { Endpoint(transport: .tcp, address: "192.0.2.\($0)", port: 7) }
        #expect(subject.ownFirst(told) == told)
        subject.proved(at: Endpoint(transport: .tcp, address: "192.0.2.2", port: 0))
        #expect(subject.ownFirst(told) == [told[1], told[0], told[2]])
    }
}
