// SPDX-License-Identifier: Apache-2.0

import BatonBus
import UserInfoJSON

/// Formats the result of a probe between two devices, for people and for programs.
enum ProbeText {
    static func show(_ probe: DeviceProbe, json: Bool) throws {
        if json { return try Output.standard.json(node(probe), pretty: true) }
        for line in lines(probe) { try Output.standard.line(line) }
    }

    static func lines(_ probe: DeviceProbe) -> [String] {
        let name = probe.answer.deviceName
        return [Ping.line(probe.answer)]
            + hearing(probe.here, of: probe.there, "this device", name)
            + hearing(probe.there, of: probe.here, name, "this device")
            + probe.here.ways.map { line($0, "from here to \(name)", to: probe.there, said: nil) }
            + probe.there.ways.map { line($0, "from \(name) to here", to: probe.here, said: name) }
    }

    /// Returns the line that says whether one device hears the other.
    private static func hearing(
        _ side: DeviceProbe.Side, of other: DeviceProbe.Side, _ name: String, _ otherName: String
    ) -> [String] {
        let strength = side.signal.map { ", at \($0) dBm" } ?? ""
        if side.hears { return ["\(name) hears \(otherName) by radio\(strength)"] }
        return ["\(name) does not hear \(otherName) by radio\(other.isMuted ? silence : "")"]
    }

    private static let silence = ", where Baton is paused, the screen is locked or the disk is full"

    private static func line(
        _ way: DeviceProbe.Way, _ direction: String, to target: DeviceProbe.Side, said speaker: String?
    ) -> String {
        guard let time = way.time else {
            return target.isMuted && way.transport != "tcp"
                ? "\(way.transport) does not lead \(direction)\(silence)" : failure(of: way, direction, said: speaker)
        }
        return "\(way.transport) leads \(direction) in \(Int((time / .milliseconds(1)).rounded())) ms"
    }

    /// Returns the message about a transport that fails in one direction, with the reason.
    ///
    /// - Parameter speaker: The device that gave the reason, or `nil` for this device. If another
    ///   device gave it, "the other device" in the reason means this device.
    static func failure(of way: DeviceProbe.Way, _ direction: String, said speaker: String?) -> String {
        let reason = way.reason ?? "no reason was given"
        return "\(way.transport) does not lead \(direction)" + (speaker.map { ", says \($0)" } ?? "") + ": \(reason)"
    }

    /// Returns the JSON object, as described in baton-json(5).
    static func node(_ probe: DeviceProbe) -> JSONNode {
        .object([
            "device": .string(probe.answer.device), "deviceName": .string(probe.answer.deviceName),
            "answer": Ping.node(probe.answer), "here": node(probe.here), "there": node(probe.there),
        ])
    }

    private static func node(_ side: DeviceProbe.Side) -> JSONNode {
        .object([
            "hears": .bool(side.hears), "signal": side.signal.map { .int(Int64($0)) } ?? .null,
            "muted": .bool(side.isMuted),
            "ways": .array(
                side.ways.map { way in
                    .object([
                        "transport": .string(way.transport),
                        "milliseconds": way.time.map { .int(Int64($0 / .milliseconds(1))) } ?? .null,
                        "reason": way.reason.map(JSONNode.string) ?? .null,
                    ])
                }),
        ])
    }
}
