// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis

extension DeviceProbe: BusDictionary {
    var bus: [String: DBusValue] {
        answer.bus.merging(["here": .properties(here.bus), "there": .properties(there.bus)]) { $1 }
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            answer: try DeviceAnswer(bus: value), here: try Side(bus: properties.values["here"]),
            there: try Side(bus: properties.values["there"]))
    }
}

extension DeviceProbe.Side: BusRecord {
    static var blank: Self { Self(hears: false) }
    static let fields: [BusField<Self>] = [
        .bool("hears", \.hears), .bool("muted", \.isMuted), .list("ways", \.ways),
        .optionalNumber("signal", \.signal) { .int32(Int32(clamping: $0)) },
    ]
}

extension DeviceProbe.Way: BusRecord {
    static var blank: Self { Self(transport: "", time: nil) }
    static let fields: [BusField<Self>] = [
        .text("transport", \.transport), .optionalDuration("time", \.time), .optionalText("reason", \.reason),
        BusField("code", write: { ($0.failure?.code).map(plain) }, read: { $1.failure = $0.reason }),
        .derived("values") { $0.failure.map { .properties($0.values.mapValues(\.bus)) } },
    ]
}
