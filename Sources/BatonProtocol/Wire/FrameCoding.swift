// SPDX-License-Identifier: Apache-2.0

import SwiftProtobuf

/// Writes frames.
public enum FrameEncoder {
    /// A frame as it goes over the channel, length first.
    ///
    /// - Throws: ``WireError`` when the frame breaks a limit.
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

    /// What goes in front of `count` bytes of a stream, so that they can be sent without copying
    /// them into a frame.
    ///
    /// - Parameter count: 1 to ``StreamData/maximumLength``.
    public static func dataHeader(offset: UInt64, count: Int) -> [UInt8] {
        dataHeader(offset: offset, count: count, reserving: 0)
    }

    // Written by hand, because the library would copy the bytes of a stream three times on the way
    // into a frame. A test holds it against what the library writes.
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

/// The tags of the fields of a Data message, each a field number and a wire type.
enum DataField {
    static let frame: UInt8 = 13 << 3 | 2
    static let offset: UInt8 = 1 << 3 | 0
    static let bytes: UInt8 = 2 << 3 | 2
}

/// Cuts what a channel brings into frames.
///
/// Each frame is copied once, out of what is appended; a ``StreamData`` shares that memory. A
/// message of a kind that this version does not know is passed over, as unknown fields are.
public struct FrameDecoder: Sendable {
    /// The number of frames for which room is kept from one read to the next.
    private static let keptRoom = 64

    private let maximumLength: Int
    private var length: UInt32 = 0
    private var lengthBytes = 0
    private var body: [UInt8] = []
    private var complete: [[UInt8]] = []
    private var taken = 0
    private var failure: WireError?

    /// A decoder at the start of a channel.
    ///
    /// - Parameter maximumLength: The longest frame that is taken, to ``Frame/maximumLength``.
    public init(maximumLength: Int = Frame.maximumLength) {
        self.maximumLength = min(maximumLength, Frame.maximumLength)
    }

    /// Whether the channel could end here: it is not in the middle of a frame.
    var isAtBoundary: Bool { lengthBytes == 0 && taken == complete.count }

    /// Takes the next bytes of the channel, in pieces of any size. After a failure they are
    /// dropped.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { cut($0) }
        if done == nil { Array(bytes).withUnsafeBufferPointer { cut($0) } }
    }

    /// The next frame, or `nil` when more bytes are needed.
    ///
    /// - Throws: ``WireError``; the channel is then of no more use, and every later call throws the
    ///   same.
    public mutating func next() throws(WireError) -> Frame? {
        while let encoded = try nextEncoded() {
            do {
                if let frame = try encoded.decoded() { return frame }
            } catch {
                // Whatever follows a broken frame is of no more worth.
                failure = error
                complete = []
                taken = 0
                body = []
            }
        }
        return nil
    }

    /// The next frame for whoever reads it later, or `nil` when more bytes are needed.
    ///
    /// - Throws: ``WireError`` for a length that no frame has; every later call throws the same.
    public mutating func nextEncoded() throws(WireError) -> EncodedFrame? {
        guard taken < complete.count else {
            if let failure { throw failure }
            return nil
        }
        let encoded = EncodedFrame(body: complete[taken])
        complete[taken] = []
        taken += 1
        if taken == complete.count {
            // Room for many is needed seldom, and would be kept as long as the channel.
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
            // Not more at once than streams use: a length alone must not cost a mebibyte.
            body.reserveCapacity(min(Int(length), 131_072))
        }
    }
}
