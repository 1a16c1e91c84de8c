// SPDX-License-Identifier: Apache-2.0

/// A received frame before decoding, without its length.
///
/// In this form, a waiting frame takes only as much memory as its bytes. Once decoded, small values
/// can take ten times as much memory or more.
public struct EncodedFrame: Hashable, Sendable {
    let body: [UInt8]

    /// The number of bytes.
    public var count: Int { body.count }

    /// Decodes the frame.
    ///
    /// - Returns: The frame; `nil` for a kind of message that this version does not know.
    /// - Throws: ``WireError``. The channel can then no longer be used.
    public func decoded() throws(WireError) -> Frame? { try Frame(body: body) }
}
