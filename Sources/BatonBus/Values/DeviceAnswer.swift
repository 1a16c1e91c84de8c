// SPDX-License-Identifier: Apache-2.0

internal import DBus

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

extension DeviceAnswer {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "device": plain(device), "deviceName": plain(deviceName), "transport": plain(transport),
            "roundTrip": .double(roundTrip / .seconds(1)),
        ]
        result["connecting"] = connecting.map { .double($0 / .seconds(1)) }
        return result
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            device: try properties.required("device"), deviceName: try properties.required("deviceName"),
            transport: try properties.required("transport"),
            roundTrip: try Self.duration(properties.values["roundTrip"], "roundTrip"),
            connecting: try properties.values["connecting"].map { try Self.duration($0, "connecting") })
    }

    static func duration(_ value: DBusValue?, _ name: String) throws -> Duration {
        guard let seconds = value?.doubleValue, (0...3_600).contains(seconds) else {
            throw BatonBusError.invalid(name, "seconds from 0 to 3600")
        }
        return .seconds(seconds)
    }
}
