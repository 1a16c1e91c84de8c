// SPDX-License-Identifier: GPL-3.0-or-later

import DBus
import L2CAP
import Testing

@testable import BlueZTransport

/// Tests input from bluetoothd, or from a program that pretends to be bluetoothd.
@Suite struct BlueZObjectsTests {
    private let adapter = "/org/bluez/hci0"
    private var objects = BlueZObjects()

    init() {
        let properties: [String: DBusValue] = ["Address": .string("00:AA:01:00:00:00"), "Powered": .bool(true)]
        _ = objects.take(added(adapter, ["org.bluez.Adapter1": properties, "org.bluez.LEAdvertisingManager1": [:]]))
    }

    private func signal(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) -> DBusSignal {
        DBusSignal(sender: ":1.1", path: path, interface: interface, member: member, arguments: arguments)
    }

    private func added(_ path: String, _ interfaces: [String: [String: DBusValue]]) -> DBusSignal {
        let value = DBusValue.dictionary(
            keySignature: "s", valueSignature: "a{sv}",
            interfaces.map { .init(.string($0.key), .properties($0.value)) })
        return signal("/", BlueZ.objectManager, "InterfacesAdded", [.objectPath(path), value])
    }

    private func device(_ number: Int, _ changes: [String: DBusValue] = [:]) -> DBusSignal {
        let octet = String(number % 256, radix: 16)
        let high = String(number / 256, radix: 16)
        func pad(_ text: String) -> String { text.count == 1 ? "0" + text : text }
        let address = "C0:FF:EE:00:\(pad(high)):\(pad(octet))"
        let properties = MockBlueZ.properties(of: address, payload: [1]).merging(changes) { $1 }
        return added(MockBlueZ.path(address.uppercased()), ["org.bluez.Device1": properties])
    }

    @Test("A heard device has its address, its payload and its signal strength")
    mutating func aDeviceIsHeard() {
        #expect(
            objects.take(device(1)) == [
                .heard(BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .public), payload: [1], signal: -50)
            ])
    }

    @Test(
        "A property of a wrong type or length counts as missing",
        arguments: [
            ("Address", DBusValue.uint32(1)), ("Address", .string("nonsense")), ("AddressType", .string("secret")),
            ("AddressType", .bool(true)), ("Adapter", .string("/org/bluez/hci0")),
            ("Adapter", .objectPath("/org/bluez/hci9")), ("ManufacturerData", .string("x")),
            ("ManufacturerData", .dictionary(keySignature: "q", valueSignature: "v", [])),
            (
                "ManufacturerData",
                .dictionary(keySignature: "q", valueSignature: "v", [.init(.uint16(0xFFFF), .variant(.string("x")))])
            ),
            (
                "ManufacturerData",
                .dictionary(keySignature: "s", valueSignature: "v", [.init(.string("x"), .variant(.bytes([1])))])
            ),
            ("ManufacturerData", MockBlueZ.manufacturerData([1], company: 0x004C)),
            ("ManufacturerData", MockBlueZ.manufacturerData([UInt8](repeating: 0, count: 25))),
        ])
    mutating func wrongTypeOrLength(_ name: String, _ value: DBusValue) {
        #expect(objects.take(device(1, [name: value])).isEmpty)
        #expect(objects.peers.isEmpty)
    }

    @Test(
        "An impossible signal strength counts as unknown",
        arguments: [DBusValue.int16(127), .int16(-128), .string("loud"), .double(1)])
    mutating func meaninglessSignal(_ value: DBusValue) {
        _ = objects.take(device(1, ["RSSI": value]))
        #expect(objects.peers.values.map(\.signal) == [nil])
    }

    @Test(
        "Signals with other arguments change nothing",
        arguments: [
            ("InterfacesAdded", []), ("InterfacesAdded", [DBusValue.bool(true), .bool(true)]),
            ("InterfacesAdded", [.objectPath("/x"), .strings(["a"])]), ("InterfacesRemoved", [.objectPath("/x")]),
            ("InterfacesRemoved", [.objectPath("/x"), .string("y")]), ("Other", [.bool(true)]),
        ])
    mutating func otherShapes(_ member: String, _ arguments: [DBusValue]) {
        #expect(objects.take(signal("/", BlueZ.objectManager, member, arguments)).isEmpty)
        #expect(objects.take(signal("/", BlueZ.properties, "PropertiesChanged", arguments)).isEmpty)
    }

    @Test("The number of advertisers is limited, and the oldest is dropped first")
    mutating func advertiserLimit() {
        for number in 0..<BlueZ.peerLimit {
            objects.now = .seconds(number)
            _ = objects.take(device(number))
        }
        objects.now = .seconds(5_000)
        let changes = objects.take(device(5_000))
        #expect(objects.peers.count == BlueZ.peerLimit)
        #expect(changes.first == .lost(BluetoothAddress(value: 0xC0FF_EE00_0000, kind: .public)))
    }

    @Test("At most 64 adapters are remembered")
    mutating func adapterLimit() {
        for number in 0..<1_000 { _ = objects.take(added("/org/bluez/hci\(number)", ["org.bluez.Adapter1": [:]])) }
        #expect(objects.adapters.count == 64)
    }

    @Test("A peer is reached through the adapter that heard it last")
    mutating func heardLast() throws {
        let properties: [String: DBusValue] = ["Address": .string("00:AA:01:00:00:01"), "Powered": .bool(true)]
        _ = objects.take(added("/org/bluez/hci1", ["org.bluez.Adapter1": properties]))
        let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01/public"))
        let path = MockBlueZ.path(address.octets, on: "/org/bluez/hci1")
        let other = MockBlueZ.properties(of: address.octets, on: "/org/bluez/hci1", payload: [1])
        objects.now = .seconds(1)
        _ = objects.take(device(1))
        #expect(objects.adapter(hearing: address) == adapter)
        objects.now = .seconds(2)
        _ = objects.take(added(path, ["org.bluez.Device1": other]))
        #expect(objects.adapter(hearing: address) == "/org/bluez/hci1")
    }

    @Test("Only silent advertisers expire")
    mutating func onlyTheSilentExpire() {
        _ = objects.take(device(1))
        objects.now = .seconds(20)
        _ = objects.take(device(2))
        #expect(objects.nextExpiry == .seconds(35))
        objects.now = .seconds(35)
        #expect(objects.expire() == [.lost(BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .public))])
        #expect(objects.nextExpiry == .seconds(55))
    }

    @Test("Advertisers do not expire while the controller watches for patterns")
    mutating func controllerWatches() {
        let monitors: [String: DBusValue] = [
            "SupportedMonitorTypes": .strings(["or_patterns"]), "SupportedFeatures": .strings(["controller-patterns"]),
        ]
        _ = objects.take(added(adapter, [BlueZ.monitorManager: monitors]))
        _ = objects.take(device(1))
        objects.now = .seconds(1_000)
        #expect(objects.expire().isEmpty)
        #expect(objects.nextExpiry == nil)
    }

    @Test("The number of devices asked about at a time is limited")
    mutating func askingLimit() {
        func heard(_ number: Int) -> DBusSignal {
            signal(
                "\(adapter)/dev_\(number)", BlueZ.properties, "PropertiesChanged",
                [
                    .string(BlueZ.device), .properties(["ManufacturerData": MockBlueZ.manufacturerData([1])]),
                    .strings([]),
                ])
        }
        for number in 0..<BlueZObjects.questionLimit {
            #expect(objects.take(heard(number)) == [.ask("\(adapter)/dev_\(number)")])
        }
        #expect(objects.take(heard(100)).isEmpty)
        #expect(objects.match("\(adapter)/dev_100").isEmpty)
        objects.questionEnded()
        #expect(objects.take(heard(100)) == [.ask("\(adapter)/dev_100")])
        #expect(objects.match("\(adapter)/dev_101").isEmpty)
    }
}
