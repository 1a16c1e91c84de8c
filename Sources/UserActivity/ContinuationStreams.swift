// SPDX-License-Identifier: Apache-2.0

/// A pair of streams between the two devices of a continuation, as the system hands it to the app.
public struct ContinuationStreams: Hashable, Sendable {
    /// The name under which the end of the streams is reported later.
    public let identifier: String
    /// A connected Unix stream socket, closed by whoever takes it: what is written there the other device reads, and the
    /// other way round. `shutdown` of the writing side ends this side's stream.
    public let descriptor: Int32
    /// The other device's name; empty when it is not known.
    public let device: String
    /// What carries the streams: `l2cap`, `tcp` or `simulated`.
    public let transport: String

    /// Streams on a descriptor.
    public init(identifier: String, descriptor: Int32, device: String, transport: String) {
        self.identifier = identifier
        self.descriptor = descriptor
        self.device = device
        self.transport = transport
    }
}
