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

extension DeviceProbe.Side {
    fileprivate var bus: [String: DBusValue] {
        var result: [String: DBusValue] = [
            "hears": .bool(hears), "muted": .bool(isMuted),
            "ways": .array(elementSignature: "a{sv}", ways.map { .properties($0.bus) }),
        ]
        result["signal"] = signal.map { .int32(Int32(clamping: $0)) }
        return result
    }

    fileprivate init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            hears: properties.bool("hears"), signal: properties.values["signal"]?.integer(as: Int.self),
            isMuted: properties.bool("muted"), ways: try properties.list("ways").map(DeviceProbe.Way.init(bus:)))
    }
}

extension DeviceProbe.Way {
    fileprivate var bus: [String: DBusValue] {
        var result: [String: DBusValue] = ["transport": plain(transport)]
        result["time"] = time.map { .double($0 / .seconds(1)) }
        result["reason"] = reason.map(plain)
        result["code"] = failure.map { plain($0.code) }
        result["values"] = failure.map { .properties($0.values.mapValues(\.bus)) }
        return result
    }

    fileprivate init(bus value: DBusValue) throws {
        let properties = try Properties(value)
        self.init(
            transport: try properties.required("transport"),
            time: try properties.values["time"].map { try DeviceAnswer.duration($0, "time") },
            reason: properties.text("reason"),
            failure: properties.text("code").map { Reason(code: $0, values: properties.reasonValues) })
    }
}
