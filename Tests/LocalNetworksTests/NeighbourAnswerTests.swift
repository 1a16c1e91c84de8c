// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LocalNetworks

/// Tests how the kernel's records of hosts are understood.
@Suite struct NeighbourAnswerTests {
    /// The states of linux/neighbour.h.
    @Test(
        "Only a failed or unanswered question of the kernel counts as silence",
        arguments: [
            (0x01, .silent), (0x02, .answers), (0x04, .unknown), (0x08, .unknown), (0x10, .unknown), (0x20, .silent),
            (0x40, .unknown), (0x80, .answers), (0x00, .unknown),
        ] as [(UInt16, NeighbourAnswer)])
    func states(state: UInt16, answer: NeighbourAnswer) throws {
        let body = FakeKernel.neighbour(3, [192, 0, 2, 7], [2, 0, 0, 0, 0, 7], state: state)
        #expect(try answers(FakeKernel.message(FakeKernel.newNeighbour, body)) == answer)
    }

    @Test("An error, and a record that is too short, are no answer")
    func errors() throws {
        let noEntry: UInt16 = 2
        #expect(try answers(FakeKernel.message(noEntry, FakeKernel.bytes(Int32(-2)))) == .unknown)
        #expect(try answers(FakeKernel.message(FakeKernel.newNeighbour, [2, 0, 0, 0])) == .unknown)
    }

    @Test("The real kernel knows nothing of a host on an interface that does not exist")
    func kernel() {
        #expect(NeighbourAnswer(of: [192, 0, 2, 7], on: 1 << 30) == .unknown)
        #expect(NeighbourAnswer(of: [UInt8](repeating: 0xFE, count: 16), on: 1 << 30) == .unknown)
    }

    private func answers(_ datagram: [UInt8]) throws -> NeighbourAnswer {
        NeighbourAnswer(try #require(NetlinkMessage.messages(in: datagram)?.first))
    }
}
