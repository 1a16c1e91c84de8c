// SPDX-License-Identifier: Apache-2.0

/// A frame as it came, without its length: while it waits it costs no more than its bytes, and
/// small values take ten times that and more once they are read.
public struct EncodedFrame: Hashable, Sendable {
    let body: [UInt8]

    /// How many bytes it has.
    public var count: Int { body.count }

    /// What it says.
    ///
    /// - Returns: `nil` for a kind of message that this version does not know.
    /// - Throws: ``WireError``; the channel is then of no more use.
    public func decoded() throws(WireError) -> Frame? { try Frame(body: body) }
}
