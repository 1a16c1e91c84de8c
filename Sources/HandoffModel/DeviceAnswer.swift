// SPDX-License-Identifier: Apache-2.0

/// The answer of another device in the circle: the result of `Circle.Ping`.
public struct DeviceAnswer: Hashable, Sendable {
    /// The device's id.
    public var device: String
    /// The device's name, for people.
    public var deviceName: String
    /// The transport that carried the answer: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// The time from the question to the answer.
    public var roundTrip: Duration
    /// The time that connecting took, or nil if there already was a connection.
    public var connecting: Duration?

    /// Creates an answer.
    public init(
        device: String, deviceName: String, transport: String, roundTrip: Duration, connecting: Duration? = nil
    ) {
        self.device = device
        self.deviceName = deviceName
        self.transport = transport
        self.roundTrip = roundTrip
        self.connecting = connecting
    }
}
