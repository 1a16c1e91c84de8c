// SPDX-License-Identifier: Apache-2.0

internal import DBus

extension StreamProgress: BusDictionary {
    var bus: [String: DBusValue] {
        [
            "sent": .uint64(sent), "received": .uint64(received), "transport": plain(transport),
            "waiting": .bool(isWaiting),
        ]
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        func count(_ key: String) -> UInt64 { properties.values[key]?.integer(as: UInt64.self) ?? 0 }
        self.init(
            sent: count("sent"), received: count("received"), transport: try properties.required("transport"),
            isWaiting: properties.bool("waiting"))
    }
}
