// SPDX-License-Identifier: Apache-2.0

/// A pair of continuation streams: the answer of `Offers.OpenStreams` and `Activities.TakeStreams`.
public struct OpenedStreams: Sendable {
    /// The id of the pair, as the news of its end has it.
    public var stream: String
    /// What carries it at first: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// One end of a Unix stream socket; `shutdown(SHUT_WR)` ends what this side sends. End of file
    /// does not mean whole: that says the news of its end.
    public var descriptor: OwnedDescriptor

    /// A pair of streams.
    public init(stream: String, transport: String, descriptor: OwnedDescriptor) {
        self.stream = stream
        self.transport = transport
        self.descriptor = descriptor
    }
}
