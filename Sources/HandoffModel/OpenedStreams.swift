// SPDX-License-Identifier: Apache-2.0

/// A pair of continuation streams: the answer of `Offers.OpenStreams` and `Activities.TakeStreams`.
public struct OpenedStreams: Sendable {
    /// The id of the pair, which the report of its end repeats.
    public var stream: String
    /// The transport that carries it at first: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// One end of a Unix stream socket.
    ///
    /// `shutdown(SHUT_WR)` ends the direction that this side sends. End of file does not prove that
    /// all bytes have arrived; the report of the pair's end does.
    public var descriptor: OwnedDescriptor

    /// Creates a pair of streams.
    public init(stream: String, transport: String, descriptor: OwnedDescriptor) {
        self.stream = stream
        self.transport = transport
        self.descriptor = descriptor
    }
}
