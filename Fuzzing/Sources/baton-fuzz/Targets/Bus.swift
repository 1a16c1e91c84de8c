// SPDX-License-Identifier: Apache-2.0

@testable import BatonBus
import ActivityModel
import DBus
import Foundation
@testable import UserInfoJSON

extension FuzzTarget {
    /// The arguments of calls and replies on the session bus, read as each of the types that occur
    /// there.
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
            identity: ActivityIdentity(), state: state, keywords: ["k"],
            contentAttributeSet: SearchableItemAttributes())
        let deep = (0..<30).reduce(UserInfoValue.int(1)) { value, _ in .array([value]) }
        state.userInfo["deep"] = deep
        return try [
            .properties(ActivityCoding.encode(state)), .properties(status.bus), .properties(offer.bus),
            .properties(SavedCoding.encode(saved)), UserInfoWriter.userInfo([.int(1): .int(2), "a": deep]),
        ].map { try BusMessage.bytes([.string("org.example.letter"), $0, .uint32(7), .strings(["a"])]) }
    } body: { input in
        let values = try BusMessage.arguments(input)
        // Messages as bytes contain no descriptors. All other values must be written as they were
        // read.
        try FuzzFinding.unless("arguments that were read are written as they were") {
            let again = try BusMessage.bytes(values)
            return try BusMessage.bytes(BusMessage.arguments(again)) == again
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

    /// Checks that a userInfo stays the same on its way over the bus and through JSON.
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

    /// Returns a userInfo as the other side of the bus receives it.
    private static func bus(_ userInfo: UserInfo) throws -> DBusValue {
        let values = try BusMessage.arguments(BusMessage.bytes([try UserInfoWriter.userInfo(userInfo)]))
        guard values.count == 1 else { throw FuzzFinding(rule: "one argument is one argument") }
        return values[0]
    }
}
