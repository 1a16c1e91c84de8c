// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import browser_host

@Suite struct FrameReaderTests {
    private func framed(_ count: Int) -> [UInt8] { FrameReader.framed([UInt8](repeating: 7, count: count)) }

    @Test("Messages may arrive in pieces of any size")
    func piecesOfAnySize() {
        let bytes = FrameReader.framed([1, 2, 3]) + FrameReader.framed([]) + FrameReader.framed([4])
        for size in 1...bytes.count {
            var reader = FrameReader()
            let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
            #expect(pieces.flatMap { reader.take($0) } == [.message([1, 2, 3]), .message([]), .message([4])])
        }
    }

    @Test("The length is in the byte order of this machine")
    func machinesByteOrder() {
        #expect(FrameReader.framed([9]).prefix(4) == withUnsafeBytes(of: UInt32(1)) { Array($0)[...] })
    }

    @Test("A message of 65,536 bytes is read, and a message with one more byte is too long")
    func longestMessage() {
        var reader = FrameReader()
        #expect(reader.take(framed(65_536)) == [.message([UInt8](repeating: 7, count: 65_536))])
        #expect(reader.take(framed(65_537)) == [.tooLong])
    }

    @Test("A message that is too long is dropped, and the next one is read")
    func tooLongIsPassedOver() {
        var reader = FrameReader()
        var frames = reader.take(withUnsafeBytes(of: UInt32(64 << 20)) { Array($0) })
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<64 { frames += reader.take(piece) }
        #expect(frames + reader.take(framed(1)) == [.tooLong, .message([7])])
    }

    @Test("A length above the browser's limit of 64 MiB is garbage")
    func lengthBeyondTheBrowsers() {
        var reader = FrameReader()
        #expect(reader.take(withUnsafeBytes(of: UInt32(64 << 20) + 1) { Array($0) }) == [.garbage])
        reader = FrameReader()
        #expect(reader.take(Array("GET / HTTP/1.1\r\n".utf8)) == [.garbage])
    }
}
