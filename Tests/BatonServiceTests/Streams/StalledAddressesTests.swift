// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import Testing

@testable import BatonService

/// Tests how long an address is left alone after a stall.
struct StalledAddressesTests {
    private var subject = StalledAddresses()
    private static let way = Endpoint(transport: .tcp, address: "192.0.2.1", port: 1)
    private static let other = Endpoint(transport: .tcp, address: "192.0.2.2", port: 1)

    private func isDialled(at uptime: Duration) -> Bool {
        subject.dialable([Self.way, Self.other], at: uptime) == [Self.way, Self.other]
    }

    @Test("A stalled address is not dialled for 2 s, and for twice as long after each further stall, up to 60 s")
    mutating func growing() {
        var now = Duration.zero
        for pause in [2, 4, 8, 16, 32, 60, 60] {
            subject.stalled(at: Self.way.address, uptime: now)
            #expect(subject.dialable([Self.way, Self.other], at: now) == [Self.other])
            now += .seconds(pause) - .milliseconds(1)
            #expect(!isDialled(at: now))
            now += .milliseconds(1)
            #expect(isDialled(at: now))
        }
    }

    @Test("The pauses begin again when an address has worked for as long as the last pause")
    mutating func trusted() {
        for uptime in [0, 2] { subject.stalled(at: Self.way.address, uptime: .seconds(uptime)) }
        #expect(!isDialled(at: .seconds(5)) && isDialled(at: .seconds(6)))
        subject.stalled(at: Self.way.address, uptime: .seconds(10))
        #expect(isDialled(at: .seconds(12)))
    }

    @Test("An address that stalled because this device had lost its own address is dialled at once")
    mutating func pardoned() {
        for uptime in [0, 2] { subject.stalled(at: Self.way.address, uptime: .seconds(uptime)) }
        subject.stalled(at: Self.other.address, uptime: .seconds(2))
        subject.pardon(Self.way.address)
        #expect(subject.dialable([Self.way, Self.other], at: .seconds(2)) == [Self.way])
        // Its pauses begin again.
        subject.stalled(at: Self.way.address, uptime: .seconds(3))
        #expect(isDialled(at: .seconds(5)))
    }

    @Test("At most 16 addresses are remembered, however many stall")
    mutating func bounded() {
        for number in 0..<100_000 { subject.stalled(at: "\(number)", uptime: .zero) }
        #expect(subject.count == 16)
    }
}
