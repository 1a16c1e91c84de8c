// SPDX-License-Identifier: Apache-2.0

/// A pair of streams between the two devices of a continuation, as the app receives it.
///
/// End of file does not prove that all bytes have arrived, because the streams of a killed program
/// end in the same way. Use received bytes only after `BatonConnection.waitForEnd(of:)` has
/// returned, and discard them when it throws:
///
/// ```swift
/// let received = try readToEnd(of: streams.descriptor)
/// try await connection.waitForEnd(of: streams)
/// use(received)
/// ```
///
/// Foundation's streams and `ContinuationChannel` check this automatically, and end with an error
/// if the streams broke.
public struct ContinuationStreams: Hashable, Sendable {
    /// The identifier under which the end of the streams is reported later.
    public let identifier: String
    /// A connected Unix stream socket, which its recipient must close.
    ///
    /// The other device reads the bytes that this one writes, and this device reads those that the
    /// other one writes. `shutdown` of the writing side ends this side's stream.
    public let descriptor: Int32
    /// The other device's id, eight hexadecimal digits. It is empty if there is no other device.
    public let device: String
    /// The other device's name, for people. It is empty if there is no other device.
    public let deviceName: String
    /// The transport that carries the streams: `l2cap`, `tcp` or `simulated`.
    public let transport: String

    /// Creates streams from a file descriptor.
    public init(identifier: String, descriptor: Int32, device: String, deviceName: String, transport: String) {
        self.identifier = identifier
        self.descriptor = descriptor
        self.device = device
        self.deviceName = deviceName
        self.transport = transport
    }
}
