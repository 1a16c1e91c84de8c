// SPDX-License-Identifier: GPL-3.0-or-later

@testable import BlueZTransport
import DBus
import L2CAP

extension FuzzTarget {
    /// bluetoothd's messages about adapters and devices, in any order. A byte before each message
    /// selects its kind.
    static let bluez = FuzzTarget("bluez", maximumLength: 8_192) {
        let (adapter, device) = ("/org/bluez/hci0", "/org/bluez/hci0/dev_40_00_00_00_00_01")
        let properties = DBusValue.properties([
            "Adapter": .objectPath(adapter), "Address": .string("40:00:00:00:00:01"), "AddressType": .string("random"),
            "RSSI": .int16(-50), "ManufacturerData": manufacturerData([1, 2, 3]),
        ])
        let powered = DBusValue.properties([
            "Address": .string("00:AA:01:00:00:00"), "AddressType": .string("public"), "Powered": .bool(true),
        ])
        let interfaces = DBusValue.dictionary(
            keySignature: "s", valueSignature: "a{sv}",
            [.init(.string(BlueZ.adapter), powered), .init(.string(BlueZ.advertisingManager), .properties([:]))])
        let objects = DBusValue.dictionary(
            keySignature: "o", valueSignature: "a{sa{sv}}", [.init(.objectPath(adapter), interfaces)])
        return try [
            step(0, [objects]) + step(1, [.objectPath(device), properties]) + step(4, [.objectPath(device)])
                + step(
                    3, [.objectPath(device), .string(BlueZ.device), .properties(["RSSI": .int16(-60)]), .strings([])])
                + step(2, [.objectPath(adapter), .strings([BlueZ.adapter])])
        ]
    } body: { input in
        var (input, objects) = (FuzzInput(input), BlueZObjects(peerLimit: 4))
        while !input.isEmpty {
            objects.now += .seconds(1)
            let kind = input.byte()
            let values = try BusMessage.arguments(input.piece())
            for change in take(values, as: kind, into: &objects) {
                if case .ask = change { objects.questionEnded() }
                try check(change)
            }
            try FuzzFinding.unless("no more advertisers and adapters are remembered than there may be") {
                objects.peers.count <= 4 && objects.adapters.count <= 64
            }
            try FuzzFinding.unless("an advertiser is heard by an adapter that is there") {
                objects.peers.values.allSatisfy { objects.adapters[$0.adapter] != nil }
            }
        }
    }

    private static func take(_ values: [DBusValue], as kind: UInt8, into objects: inout BlueZObjects) -> [BlueZObjects
        .Change]
    {
        let path = values.first?.objectPathValue ?? "/"
        func signal(_ interface: String, _ member: String, _ arguments: [DBusValue]) -> [BlueZObjects.Change] {
            objects.take(DBusSignal(sender: "", path: path, interface: interface, member: member, arguments: arguments))
        }
        switch kind % 8 {
        case 0: return values.first.map { objects.take(managedObjects: $0) } ?? []
        case 1: return values.count < 2 ? [] : objects.take(device: path, properties: values[1].propertiesValue ?? [:])
        case 2: return signal(BlueZ.objectManager, "InterfacesRemoved", values)
        case 3: return signal(BlueZ.properties, "PropertiesChanged", Array(values.dropFirst()))
        case 4: return objects.match(path)
        case 5: return signal(BlueZ.objectManager, "InterfacesAdded", values)
        case 6:
            objects.now += .seconds(40)
            return objects.expire()
        default: return objects.forgetEverything()
        }
    }

    private static func check(_ change: BlueZObjects.Change) throws {
        guard case .heard(_, let payload, let signal) = change else { return }
        try FuzzFinding.unless("an advertisement has at most 24 bytes, and a signal that a radio can have") {
            payload.count <= BlueZ.payloadLimit && signal.map { (-127...20).contains($0) } != false
        }
    }

    private static func step(_ kind: UInt8, _ arguments: [DBusValue]) throws -> [UInt8] {
        [kind] + FuzzInput.piece(try BusMessage.bytes(arguments))
    }

    private static func manufacturerData(_ payload: [UInt8]) -> DBusValue {
        .dictionary(
            keySignature: "q", valueSignature: "v", [.init(.uint16(BlueZ.company), .variant(.bytes(payload)))])
    }
}
