// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import LocalNetworks

/// Tests datagrams that a kernel has sent, and the same datagrams with wrong lengths.
///
/// `Recorded/survey.txt` has the port of the socket and then the answers to the requests of one
/// survey, by Linux 6.18: a container's network card with gateways of IPv4 and IPv6, and a bridge.
@Suite struct RecordedTests {
    private static func recorded() throws -> (port: UInt32, datagrams: [[UInt8]]) {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recorded/survey.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let port = try #require(UInt32(lines[0], radix: 16))
        let datagrams = lines.dropFirst().map { line in
            let digits = Array(line)
            return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        }
        return (port, datagrams)
    }

    private func told(_ port: UInt32, _ datagrams: [[UInt8]]) -> [NetworkSurvey.Action] {
        var survey = NetworkSurvey()
        var actions = survey.begin(port: port)
        for datagram in datagrams { actions += survey.handle(datagram) }
        return actions
    }

    @Test("The kernel's own answers are understood")
    func understood() throws {
        let (port, datagrams) = try Self.recorded()
        guard case .tell(let networks) = told(port, datagrams).last else {
            Issue.record("nothing was told")
            return
        }
        let router: [UInt8] = [2, 0, 0, 0, 0, 1]
        #expect(networks.map(\.name) == ["cable"])
        #expect(networks.first?.addresses.count == 3)
        #expect(networks.first?.gateways.map(\.address.count) == [4, 16])
        #expect(networks.first?.gateways.map(\.prefixLength) == [24, 64])
        #expect(networks.first?.gateways.map(\.linkLayerAddress) == [router, router])
    }

    @Test("Datagrams that are cut short do not cause a crash")
    func cut() throws {
        let (port, datagrams) = try Self.recorded()
        for (index, datagram) in datagrams.enumerated() {
            for count in 0..<datagram.count {
                let cut = datagrams[..<index] + [Array(datagram.prefix(count))]
                // A cut between two messages is not an error, because the rest may still arrive.
                #expect(!told(port, Array(cut)).contains { if case .tell = $0 { true } else { false } })
            }
        }
    }

    @Test("Wrong lengths anywhere do not cause a crash")
    func wrongLengths() throws {
        let (port, datagrams) = try Self.recorded()
        for (index, datagram) in datagrams.enumerated() {
            for position in stride(from: 0, to: datagram.count - 1, by: 2) {
                for value: UInt16 in [0, 3, 17, 0xFFFF] {
                    var changed = datagram
                    (changed[position], changed[position + 1]) = (UInt8(value & 0xFF), UInt8(value >> 8))
                    _ = told(port, datagrams[..<index] + [changed])
                }
            }
        }
    }

    @Test(
        "A message or an attribute that is longer than the remaining bytes, or shorter than its header, is refused",
        arguments: [0, 1, 3, 15, 17, 255, UInt32.max])
    func refusedLengths(_ length: UInt32) {
        var message = FakeKernel.message(FakeKernel.newLink, [])
        message.replaceSubrange(0..<4, with: FakeKernel.bytes(length))
        #expect(NetlinkMessage.messages(in: message) == nil)
        var attribute = FakeKernel.attribute(1, [1, 2, 3, 4])
        attribute.replaceSubrange(0..<2, with: FakeKernel.bytes(UInt16(truncatingIfNeeded: length == 15 ? 3 : length)))
        #expect(NetlinkAttributes(attribute[...]) == nil)
    }

    @Test("Values of a wrong length are not read as addresses or numbers")
    func wrongValues() throws {
        let attributes = try #require(
            NetlinkAttributes(
                (FakeKernel.attribute(1, [1, 2, 3]) + FakeKernel.attribute(2, [])
                    + FakeKernel.attribute(1, [1, 2, 3, 4]))[
                        ...]))
        #expect(attributes.number(1) == nil && attributes.number(2) == nil && attributes.number(3) == nil)
        #expect(attributes.address(1, family: 2) == nil && attributes.address(1, family: 10) == nil)
        #expect(AddressRecord(FakeKernel.address(3, [192, 0, 2, 7], 33)[...]) == nil)
        for address: [UInt8] in [
            [], [2, 0, 0, 0, 0], [1, 0, 0x5E, 0, 0, 1], [0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 1],
        ] {
            #expect(NeighbourRecord(FakeKernel.neighbour(3, [192, 0, 2, 1], address)[...]) == nil, "\(address)")
        }
    }
}
