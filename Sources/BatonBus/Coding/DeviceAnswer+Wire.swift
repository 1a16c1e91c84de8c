// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension DeviceAnswer: BusDictionary {
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
            throw BatonError.invalid(name, .number(0...3_600))
        }
        return .seconds(seconds)
    }
}
