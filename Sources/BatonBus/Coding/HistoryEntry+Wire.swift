// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials

/// The conversion between an entry of the history and its `a{sv}`.
extension HistoryEntry: BusDictionary {
    var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "first": .int64(Int64(first.timeIntervalSince1970)), "last": .int64(Int64(last.timeIntervalSince1970)),
            "device": plain(device), "deviceName": plain(deviceName), "type": plain(type),
            "count": .uint32(UInt32(clamping: count)),
        ]
        result["application"] = application.map(plain)
        return result
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        func date(_ key: String) throws -> Date {
            let seconds = try (properties.values[key]?.integer(as: Int64.self)).orInvalid("reply", .seconds)
            return Date(timeIntervalSince1970: Double(seconds))
        }
        self.init(
            first: try date("first"), last: try date("last"), device: try properties.required("device"),
            deviceName: try properties.required("deviceName"), application: properties.text("application"),
            type: try properties.required("type"),
            count: properties.values["count"]?.integer(as: Int.self) ?? 1)
    }
}
