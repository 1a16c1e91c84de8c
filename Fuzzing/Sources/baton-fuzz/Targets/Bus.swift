// SPDX-License-Identifier: Apache-2.0

@testable import BatonBus
import CDBus
@testable import DBus
import Foundation
import UserActivity
@testable import UserInfoJSON

extension FuzzTarget {
    /// The arguments of calls and replies on the session bus, as everything that arguments are read as.
    static let busArguments = FuzzTarget("bus-arguments", maximumLength: 8_192) {
        var state = ActivityState(activityType: "org.example.letter")
        state.title = "Letter"
        state.userInfo = [
            "draft": "Dear Ada", "page": .int(3), "ratio": .double(0.5), "done": .bool(true),
            "list": .array([.int(1), "two", .null]),
            "when": .date(Date(timeIntervalSince1970: 1_800_000_000.1)), "data": .data(Data([1, 2, 3])),
            "set": .set(["a", .int(2)]), "NUL": "a\0b", "more": .dictionary([.int(1): "one"]),
        ]
        state.webpageURL = URL(string: "https://example.org/letter")
        state.requiredUserInfoKeys = ["draft"]
        let status = DaemonStatus(
            version: "1", radio: "simulated", device: "d", deviceName: "n", circle: "c",
            members: [CircleMember(device: "d", name: "n", isThisDevice: true)], endpoints: ["tcp:192.0.2.7:1"])
        let offer = OfferSummary(offer: "o", device: "d", deviceName: "n", type: "t", title: "T", signal: -40)
        let saved = SavedUserActivity(
            identity: UserActivity.Identity(), state: state, keywords: ["k"],
            contentAttributeSet: SearchableItemAttributeSet())
        let deep = (0..<30).reduce(UserInfoValue.int(1)) { value, _ in .array([value]) }
        state.userInfo["deep"] = deep
        return try [
            .properties(ActivityCoding.encode(state)), .properties(status.bus), .properties(offer.bus),
            .properties(SavedCoding.encode(saved)), UserInfoWriter.userInfo([.int(1): .int(2), "a": deep]),
        ].map { try message([.string("org.example.letter"), $0, .uint32(7), .strings(["a"])]) }
    } body: { input in
        let values = try arguments(input)
        // Descriptors do not travel in bytes; all else is written as it was read.
        try FuzzFinding.unless("arguments that were read are written as they were") {
            let again = try message(values)
            return try message(arguments(again)) == again
        }
        for value in values {
            if let text = UserInfoReader.text(value) { try? ActivityCoding.checkType(text) }
            if let userInfo = try? UserInfoReader.userInfo(value) { try check(userInfo) }
            if let properties = try? Properties(value) {
                if let read = try? ActivityCoding.decode(properties.values) {
                    let state = read.applied(to: ActivityState(activityType: "t"))
                    try FuzzFinding.unless("properties that were read are written") {
                        try !ActivityCoding.encode(state).isEmpty
                    }
                }
                if let saved = try? SavedCoding.decode(properties.values) { _ = try? SavedCoding.encode(saved) }
            }
            _ = try? DaemonStatus(bus: value)
            _ = try? CircleSummary(bus: value)
            _ = try? OfferSummary(bus: value)
            _ = try? ContinuedActivity(continuation: "c", bus: value)
            _ = try? OpenedOffer(bus: value)
            _ = try? ComingActivity(type: "t", bus: value)
        }
    }

    /// A call with arguments, as it travels.
    private static func message(_ arguments: [DBusValue]) throws -> [UInt8] {
        let message = try Message.call(
            destination: "org.example", path: "/", interface: "org.example.I", member: "M", arguments: arguments)
        dbus_message_set_serial(message.pointer, 1)
        var bytes: UnsafeMutablePointer<CChar>?
        var count: CInt = 0
        guard dbus_message_marshal(message.pointer, &bytes, &count) != 0, let bytes else {
            throw DBusError.limit("no memory for a message")
        }
        defer { dbus_free(bytes) }
        return UnsafeBufferPointer(start: bytes, count: Int(count)).map { UInt8(bitPattern: $0) }
    }

    /// The arguments in a message's bytes, judged as those of a received one are.
    private static func arguments(_ bytes: [UInt8]) throws -> [DBusValue] {
        let text = bytes.map { CChar(bitPattern: $0) }
        guard let pointer = dbus_message_demarshal(text, CInt(text.count), nil) else {
            throw DBusError.invalid("no message")
        }
        let message = Message(adopting: pointer)
        return try MessageDecoder.arguments(of: message.pointer, limits: DBusLimits())
    }

    /// What is read into a userInfo goes on to the other device and to apps there, and is the same everywhere.
    static func check(_ userInfo: UserInfo) throws {
        let text = try? UserInfoJSON.node(userInfo).text()
        try FuzzFinding.unless("a userInfo goes over the bus as it is") {
            let read = try UserInfoReader.userInfo(try bus(userInfo))
            return try UserInfoJSON.node(read).text() == text
        }
        try FuzzFinding.unless("a userInfo is written to JSON and read as it was") {
            guard let text else { return false }
            let read = try UserInfoJSON.userInfo(parsing: Data(text.utf8))
            return try UserInfoJSON.node(read).text() == text
        }
    }

    /// Through the bytes of a message, as the other side gets it.
    private static func bus(_ userInfo: UserInfo) throws -> DBusValue {
        let values = try arguments(message([try UserInfoWriter.userInfo(userInfo)]))
        guard values.count == 1 else { throw FuzzFinding(rule: "one argument is one argument") }
        return values[0]
    }
}
