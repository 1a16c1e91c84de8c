// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct FrameCodecTests {
    private func decode(_ bytes: [UInt8]) throws -> [Frame] {
        var decoder = FrameDecoder()
        decoder.append(bytes)
        var frames: [Frame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    @Test("Frames are decoded from pieces of any size")
    func framesComeInAnyPieces() throws {
        let frames = try FrameVectorTests.frames().sorted { $0.key < $1.key }.map(\.value)
        let bytes = try frames.flatMap { try FrameEncoder.encode($0) }
        var generator = SeededGenerator(seed: 1)
        for largest in [1, 2, 7, 100, bytes.count] {
            var decoder = FrameDecoder()
            var decoded: [Frame] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...largest, using: &generator))
                decoder.append(rest.prefix(count))
                rest = rest.dropFirst(count)
                while let frame = try decoder.next() { decoded.append(frame) }
            }
            #expect(decoded == frames)
        }
    }

    @Test("The memory for a large number of frames is released")
    func roomIsNotKept() throws {
        var decoder = FrameDecoder()
        decoder.append(try (0..<10_000).flatMap { _ in try FrameEncoder.encode(.endAck) })
        func room() throws -> Int {
            // The decoder does not expose this capacity.
            try #require(Mirror(reflecting: decoder).descendant("complete") as? [[UInt8]]).capacity
        }
        #expect(try room() >= 10_000)
        while try decoder.next() != nil {}
        #expect(try room() < 1_000)
    }

    @Test("Frames before an invalid frame are delivered, and then each call fails")
    func framesBeforeABrokenOne() throws {
        var decoder = FrameDecoder()
        decoder.append(try FrameEncoder.encode(.endAck) + [0, 0, 0, 0] + (try FrameEncoder.encode(.endAck)))
        #expect(try decoder.next() == .endAck)
        for _ in 0..<2 {
            #expect(throws: WireError(.empty, "a frame of no bytes")) { try decoder.next() }
            decoder.append(try FrameEncoder.encode(.endAck))
        }
    }

    @Test("No frame after an invalid one is delivered")
    func nothingAfterAnUnparsable() throws {
        var decoder = FrameDecoder()
        decoder.append([0, 0, 0, 1, 0xFF] + (try FrameEncoder.encode(.endAck)))
        #expect(throws: WireError.self) { try decoder.next() }
        #expect(throws: WireError.self) { try decoder.next() }
    }

    @Test("A frame of one mebibyte is accepted, and a frame with one more byte is not")
    func frameOfOneMebibyte() throws {
        // The encoding of a join begins with a tag of 1 byte and a length of 3 bytes.
        let largest = Frame.join([UInt8](repeating: 7, count: Frame.maximumLength - 4))
        let bytes = try FrameEncoder.encode(largest)
        #expect(bytes.count == Frame.maximumLength + 4)
        #expect(try decode(bytes) == [largest])
        #expect(throws: WireError.self) {
            try FrameEncoder.encode(.join([UInt8](repeating: 7, count: Frame.maximumLength - 3)))
        }
    }

    @Test(
        "Data is encoded as the Protobuf library encodes it",
        arguments: [0, 1, 127, 128, 65_536, UInt64(Int64.max), .max])
    func dataAsTheLibraryWritesIt(offset: UInt64) throws {
        for count in [1, 127, 128, 16_383, 16_384, 65_536, StreamData.maximumLength] {
            let frame = Frame.data(StreamData(offset: offset, bytes: [UInt8](repeating: 9, count: count)[...]))
            let body: [UInt8] = try WireFrame(checking: frame).serializedBytes()
            let bytes = try FrameEncoder.encode(frame)
            #expect(Array(bytes.dropFirst(4)) == body)
            #expect(try decode(bytes) == [frame])
            let header = FrameEncoder.dataHeader(offset: offset, count: count)
            #expect(header + [UInt8](repeating: 9, count: count) == bytes)
        }
    }

    @Test("Data in an unusual form is decoded too")
    func dataInUnusualForm() throws {
        // The bytes come before the offset, and there is an unknown field at the end.
        let body: [UInt8] = [0x6A, 0x0A, 0x12, 0x02, 1, 2, 0x08, 0x80, 0x01, 0xF8, 0x01, 0x05]
        #expect(try decode([0, 0, 0, 12] + body) == [.data(StreamData(offset: 128, bytes: [1, 2]))])
    }

    @Test("Data that is empty or too long is not encoded")
    func dataOutsideOfItsLength() {
        for count in [0, StreamData.maximumLength + 1] {
            let data = StreamData(offset: 0, bytes: [UInt8](repeating: 0, count: count)[...])
            #expect(throws: WireError.self) { try FrameEncoder.encode(.data(data)) }
        }
    }

    @Test("Random bytes are rejected or decoded, and never cause a crash")
    func noiseDoesNoMore() throws {
        var generator = SeededGenerator(seed: 2)
        let good = try FrameVectorTests.frames().sorted { $0.key < $1.key }.map { try FrameEncoder.encode($0.value) }
        var refused = 0
        for round in 0..<4_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 4) {
                let body = generator.bytes(Int.random(in: 1...60, using: &generator))
                bytes = [0, 0, 0, UInt8(body.count)] + body
            } else {
                bytes = good[round % good.count]
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    bytes[Int.random(in: 4..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
            }
            do {
                for frame in try decode(bytes) { _ = try FrameEncoder.encode(frame) }
            } catch { refused += 1 }
        }
        #expect(refused > 1_000)
    }

    @Test("No memory is reserved for a large frame before its bytes arrive")
    func aLengthAloneCostsNoMebibyte() {
        var decoder = FrameDecoder()
        decoder.append([0, 0x10, 0, 0])
        #expect(!decoder.isAtBoundary)
    }
}
