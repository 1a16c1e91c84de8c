// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import BlueZTransport

@Suite struct OpeningByteTests {
    /// Returns the bytes that reach the next handlers when these pieces arrive.
    private func received(_ pieces: [[UInt8]]) throws -> [UInt8] {
        let channel = EmbeddedChannel(handler: OpeningByte.Dropper())
        for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
        var bytes: [UInt8] = []
        while let buffer = try channel.readInbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
        return bytes
    }

    @Test("The first byte is dropped, however the data is split")
    func firstByteInAnyPieces() throws {
        let bytes = [UInt8](0...8)
        // Each bit of `cuts` says whether the data is split before a byte. Each split adds an empty
        // piece.
        for cuts in 0..<(1 << bytes.count) {
            var pieces: [[UInt8]] = [[]]
            for (index, byte) in bytes.enumerated() {
                if cuts >> index & 1 == 1 { pieces += [[], []] }
                pieces[pieces.count - 1].append(byte)
            }
            #expect(try received(pieces) == Array(bytes.dropFirst()))
        }
    }

    @Test("The first byte is dropped whatever its value")
    func firstByteOfAnyValue() throws { #expect(try received([[7, 7]]) == [7]) }

    @Test("Only the first byte is dropped")
    func onlyTheFirstByteIsDropped() throws { #expect(try received([[0], [0], [0]]) == [0, 0]) }

    @Test("The dialling side sends the opening byte at once and by itself")
    func diallerSendsIt() throws {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        OpeningByte.send(on: ends[0])
        var bytes = [UInt8](repeating: 1, count: 16)
        #expect(recv(ends[1], &bytes, bytes.count, CInt(MSG_DONTWAIT)) == 1)
        #expect(bytes[0] == 0)
    }
}
