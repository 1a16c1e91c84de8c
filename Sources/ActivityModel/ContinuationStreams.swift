// SPDX-License-Identifier: Apache-2.0

/// A pair of streams between the two devices of a continuation, as the system hands it to the app.
///
/// End of file does not mean whole: what a killed program was sending ends so, too. Use what came
/// only after `BatonConnection.waitForEnd(of:)` has returned, and throw it away when that throws:
///
/// ```swift
/// let received = try readToEnd(of: streams.descriptor)
/// try await connection.waitForEnd(of: streams)
/// use(received)
/// ```
///
/// Foundation's streams, which a delegate that does not take the descriptor gets, and
/// `ContinuationChannel` do that by themselves: they end in an error when they were cut.
public struct ContinuationStreams: Hashable, Sendable {
    /// The name under which the end of the streams is reported later.
    public let identifier: String
    /// A connected Unix stream socket, closed by whoever takes it: what is written there the other
    /// device reads, and the other way round. `shutdown` of the writing side ends this side's
    /// stream.
    public let descriptor: Int32
    /// The other device's id, eight hexadecimal digits; empty where there is no other device.
    public let device: String
    /// The other device's name, for people; empty where there is no other device.
    public let deviceName: String
    /// What carries the streams: `l2cap`, `tcp` or `simulated`.
    public let transport: String

    /// Streams on a descriptor.
    public init(identifier: String, descriptor: Int32, device: String, deviceName: String, transport: String) {
        self.identifier = identifier
        self.descriptor = descriptor
        self.device = device
        self.deviceName = deviceName
        self.transport = transport
    }
}
