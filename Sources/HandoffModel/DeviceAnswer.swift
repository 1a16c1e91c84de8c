// SPDX-License-Identifier: Apache-2.0

/// That another device of the circle answers: what `Circle.Ping` gives.
public struct DeviceAnswer: Hashable, Sendable {
    /// The device's id.
    public var device: String
    /// What it is called, for people.
    public var deviceName: String
    /// What it answers over: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// From the question to the answer.
    public var roundTrip: Duration
    /// How long it took to connect; `nil` when there was a connection.
    public var connecting: Duration?

    /// An answer.
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
