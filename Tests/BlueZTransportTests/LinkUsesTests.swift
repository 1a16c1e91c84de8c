// SPDX-License-Identifier: GPL-3.0-or-later

import L2CAP
import Testing

@testable import BlueZTransport

/// Tests which links are in use. A device has one link, whatever addresses it has had
/// (Decisions/0034-one-link-to-a-device.md).
@Suite struct LinkUsesTests {
    private var links = LinkUses()

    private func address(_ number: Int) -> BluetoothAddress {
        BluetoothAddress(value: 0x4000_0000_0000 + UInt64(number), kind: .random)
    }

    @Test("Only links that nothing uses are ended")
    mutating func unusedLinksAreTaken() {
        let first = links.use(address(1))
        let second = links.use(address(2))
        let third = links.use(address(3))
        let again = links.use(address(2))
        #expect(links.takeUnused().isEmpty)
        links.release(first)
        links.release(second)
        #expect(links.takeUnused() == [address(1)])
        // The second link had two uses, of which `again` is the last.
        links.release(again)
        #expect(links.takeUnused() == [address(2)])
        #expect(links.peers == [address(3)])
        links.release(third)
        #expect(links.takeUnused() == [address(3)])
        #expect(links.takeUnused().isEmpty)
    }

    @Test("Links to public addresses are not ended")
    mutating func publicAddressesAreNotTaken() {
        let use = links.use(BluetoothAddress(value: 1, kind: .public))
        links.release(use)
        #expect(use != nil && links.takeUnused().isEmpty)
    }

    // MARK: - Silent links

    @Test("A silent link may be ended 6 s after both the dial and the link began")
    mutating func endOfPatience() {
        _ = links.use(address(1))
        links.cameUp(octets: address(1).octets, at: .seconds(100))
        #expect(links.endOfPatience(address(1), dialledAt: .seconds(98)) == .seconds(106))
        #expect(links.endOfPatience(address(1), dialledAt: .seconds(200)) == .seconds(206))
        let accepted = links.use(address(2), isOwn: true)
        links.release(accepted)
        _ = links.use(address(2))
        #expect(links.endOfPatience(address(2), dialledAt: .seconds(50)) == .seconds(56))
    }

    @Test("A link that is not Baton's, or that carries a channel, is never ended for silence")
    mutating func noEndOfPatience() {
        _ = links.use(address(1))
        #expect(links.endOfPatience(address(1), dialledAt: .zero) == nil)
        _ = links.use(address(2), isOwn: true)
        _ = links.use(address(2))
        #expect(links.endOfPatience(address(2), dialledAt: .zero) == nil)
        #expect(links.endOfPatience(address(3), dialledAt: .zero) == nil)
    }

    @Test("The number of private addresses is limited, and an unused one makes room")
    mutating func privateAddressLimit() throws {
        let uses = (0..<LinkUses.limit).map { links.use(address($0)) }
        #expect(uses.allSatisfy { $0 != nil })
        let beyond = address(LinkUses.limit)
        let uncounted = links.use(beyond)
        #expect(uncounted == nil)
        // An unused address makes room. Releasing the refused use changes nothing.
        links.release(uses[0])
        let counted = links.use(beyond)
        #expect(counted != nil)
        links.release(uncounted)
        #expect(links.takeUnused().isEmpty)
        #expect(links.peers.count == LinkUses.limit)
        links.release(counted)
        #expect(links.takeUnused() == [beyond])
    }

    @Test("Links that are used and released again do not exceed the limit")
    mutating func doesNotGrow() {
        for number in 0..<100_000 { links.release(links.use(address(number))) }
        #expect(links.peers.count == LinkUses.limit)
    }
}
