// SPDX-License-Identifier: Apache-2.0

/// A pair of continuation streams: the answer of `Offers.OpenStreams` and `Activities.TakeStreams`.
public struct OpenedStreams: Sendable {
    /// The id of the pair. The report of the pair's end contains it.
    public var stream: String
    /// The transport that carries the streams at first: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// One end of a Unix stream socket.
    ///
    /// `shutdown(SHUT_WR)` ends the direction in which this side sends. End of file does not prove
    /// that all bytes have arrived. Only the report of the pair's end proves that.
    public var descriptor: OwnedDescriptor

    /// Creates a pair of streams.
    public init(stream: String, transport: String, descriptor: OwnedDescriptor) {
        self.stream = stream
        self.transport = transport
        self.descriptor = descriptor
    }
}
