// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// Encodes frames.
public enum FrameEncoder {
    /// Encodes a frame for a channel, with its length first.
    ///
    /// - Throws: ``WireError`` when the frame exceeds a limit.
    public static func encode(_ frame: Frame) throws(WireError) -> [UInt8] {
        if case .data(let data) = frame {
            guard (1...StreamData.maximumLength).contains(data.bytes.count) else {
                throw WireError(.invalidField, "stream data must have 1 to \(StreamData.maximumLength) bytes")
            }
            var bytes = dataHeader(offset: data.offset, count: data.bytes.count, reserving: data.bytes.count)
            bytes.append(contentsOf: data.bytes)
            return bytes
        }
        let body: [UInt8]
        do {
            body = try WireFrame(checking: frame).serializedBytes()
        } catch let error as WireError {
            throw error
        } catch {
            throw WireError(.invalidField, "cannot be encoded: \(error)")
        }
        guard body.count <= Frame.maximumLength else {
            throw WireError(.oversize, "a frame of \(body.count) bytes; at most \(Frame.maximumLength) are allowed")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + body.count)
        append(length: body.count, to: &bytes)
        bytes.append(contentsOf: body)
        return bytes
    }

    /// Returns the header of a frame with `count` bytes of a stream, so that they need not be
    /// copied.
    ///
    /// - Parameter count: The number of bytes, 1 to ``StreamData/maximumLength``.
    public static func dataHeader(offset: UInt64, count: Int) -> [UInt8] {
        dataHeader(offset: offset, count: count, reserving: 0)
    }

    // This encoding is written by hand, because the library would copy the bytes of a stream three
    // times. A test compares the result with the library's.
    private static func dataHeader(offset: UInt64, count: Int, reserving: Int) -> [UInt8] {
        var fields: [UInt8] = []
        fields.reserveCapacity(16)
        if offset != 0 {
            fields.append(DataField.offset)
            append(varint: offset, to: &fields)
        }
        fields.append(DataField.bytes)
        append(varint: UInt64(count), to: &fields)

        var start: [UInt8] = [DataField.frame]
        append(varint: UInt64(fields.count + count), to: &start)

        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + start.count + fields.count + reserving)
        append(length: start.count + fields.count + count, to: &bytes)
        bytes.append(contentsOf: start)
        bytes.append(contentsOf: fields)
        return bytes
    }

    private static func append(length: Int, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }

    private static func append(varint value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// The tags of a Data message's fields, each a field number and a wire type.
enum DataField {
    static let frame: UInt8 = 13 << 3 | 2
    static let offset: UInt8 = 1 << 3 | 0
    static let bytes: UInt8 = 2 << 3 | 2
}

/// Divides the bytes of a channel into frames.
///
/// Each frame's bytes are copied once, and a ``StreamData`` shares that memory. Messages of unknown
/// kinds are skipped, like unknown fields.
public struct FrameDecoder: Sendable {
    /// The number of frames for which memory is kept between two reads.
    private static let keptRoom = 64

    private let maximumLength: Int
    private var length: UInt32 = 0
    private var lengthBytes = 0
    private var body: [UInt8] = []
    private var complete: [[UInt8]] = []
    private var taken = 0
    private var failure: WireError?

    /// Creates a decoder for the start of a channel.
    ///
    /// - Parameter maximumLength: The maximum length of a frame, up to ``Frame/maximumLength``.
    public init(maximumLength: Int = Frame.maximumLength) {
        self.maximumLength = min(maximumLength, Frame.maximumLength)
    }

    /// Whether every frame was returned and no part of another one has arrived.
    var isAtBoundary: Bool { lengthBytes == 0 && taken == complete.count }

    /// Adds the next bytes of the channel, in pieces of any size. After a failure it drops them.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { cut($0) }
        if done == nil { Array(bytes).withUnsafeBufferPointer { cut($0) } }
    }

    /// Returns the next frame; `nil` if more bytes are needed.
    ///
    /// - Throws: ``WireError``. The channel can then no longer be used, and all later calls throw
    ///   the same error.
    public mutating func next() throws(WireError) -> Frame? {
        while let encoded = try nextEncoded() {
            do {
                if let frame = try encoded.decoded() { return frame }
            } catch {
                // Bytes after a broken frame cannot be trusted.
                failure = error
                complete = []
                taken = 0
                body = []
            }
        }
        return nil
    }

    /// Returns the next frame without decoding it; `nil` if more bytes are needed.
    ///
    /// - Throws: ``WireError`` for an invalid length. All later calls throw the same error.
    public mutating func nextEncoded() throws(WireError) -> EncodedFrame? {
        guard taken < complete.count else {
            if let failure { throw failure }
            return nil
        }
        let encoded = EncodedFrame(body: complete[taken])
        complete[taken] = []
        taken += 1
        if taken == complete.count {
            // Keep memory for a few frames only. More memory is rarely needed, and would stay
            // allocated as long as the channel exists.
            complete.removeAll(keepingCapacity: taken <= Self.keptRoom)
            taken = 0
        }
        return encoded
    }

    private mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes[...]
        while failure == nil, let first = rest.first {
            guard lengthBytes == 4 else {
                length = length << 8 | UInt32(first)
                lengthBytes += 1
                rest.removeFirst()
                if lengthBytes == 4 { begin() }
                continue
            }
            let count = min(Int(length) - body.count, rest.count)
            body.append(contentsOf: UnsafeBufferPointer(rebasing: rest.prefix(count)))
            rest.removeFirst(count)
            if body.count == Int(length) {
                complete.append(body)
                body = []
                length = 0
                lengthBytes = 0
            }
        }
    }

    private mutating func begin() {
        if length == 0 {
            failure = WireError(.empty, "a frame of no bytes")
        } else if length > maximumLength {
            failure = WireError(.oversize, "a frame of \(length) bytes; at most \(maximumLength) are allowed")
        } else {
            // Reserve no more than streams use, so that a peer cannot take up a mebibyte with a
            // length alone.
            body.reserveCapacity(min(Int(length), 131_072))
        }
    }
}
