// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import UserInfoJSON
import Wording

/// Formats the result of a probe between two devices, for people and for programs.
enum ProbeText {
    static func show(_ probe: DeviceProbe, json: Bool) throws {
        if json { return try Output.standard.json(node(probe), pretty: true) }
        for line in lines(probe) { try Output.standard.line(line) }
    }

    static func lines(_ probe: DeviceProbe) -> [String] {
        let name = probe.answer.deviceName
        return [Ping.line(probe.answer), hearing(probe, of: name), hearing(probe, by: name)]
            + probe.here.ways.map { line($0, to: name, isMuted: probe.there.isMuted) }
            + probe.there.ways.map { line($0, from: name, isMuted: probe.here.isMuted) }
    }

    /// Returns the line that says whether this laptop hears the other one.
    private static func hearing(_ probe: DeviceProbe, of laptop: String) -> String {
        if probe.here.hears, let signal = probe.here.signal {
            return tr(
                "This laptop hears \"{laptop}\" by radio, at {signal} dBm.", ["laptop": laptop, "signal": "\(signal)"])
        }
        if probe.here.hears { return tr("This laptop hears \"{laptop}\" by radio.", ["laptop": laptop]) }
        guard probe.there.isMuted else {
            return tr("This laptop does not hear \"{laptop}\" by radio.", ["laptop": laptop])
        }
        return tr(
            "This laptop does not hear \"{laptop}\" by radio, because Baton is paused there, the screen is locked or the disk is full.",
            ["laptop": laptop])
    }

    /// Returns the line that says whether the other laptop hears this one.
    private static func hearing(_ probe: DeviceProbe, by laptop: String) -> String {
        if probe.there.hears, let signal = probe.there.signal {
            return tr(
                "\"{laptop}\" hears this laptop by radio, at {signal} dBm.", ["laptop": laptop, "signal": "\(signal)"])
        }
        if probe.there.hears { return tr("\"{laptop}\" hears this laptop by radio.", ["laptop": laptop]) }
        guard probe.here.isMuted else {
            return tr("\"{laptop}\" does not hear this laptop by radio.", ["laptop": laptop])
        }
        return tr(
            "\"{laptop}\" does not hear this laptop by radio, because Baton is paused here, the screen is locked or the disk is full.",
            ["laptop": laptop])
    }

    /// Returns the line that says whether this laptop reaches the other one over a transport.
    private static func line(_ way: DeviceProbe.Way, to laptop: String, isMuted: Bool) -> String {
        let transport = way.transport
        if let time = way.time {
            return tr(
                "{transport} reaches \"{laptop}\" from here in {time}.",
                ["transport": transport, "laptop": laptop, "time": Ping.text(time)])
        }
        if isMuted, transport != "tcp" {
            return tr(
                "{transport} does not reach \"{laptop}\" from here, because Baton is paused there, the screen is locked or the disk is full.",
                ["transport": transport, "laptop": laptop])
        }
        return JoinedText.sentences(
            tr(
                "{transport} does not reach \"{laptop}\" from here.", ["transport": transport, "laptop": laptop]),
            way.failure?.text(on: .terminal) ?? "")
    }

    /// Returns the line about a transport from the other laptop to this one. The other laptop's
    /// reason is in English, so only the JSON has it.
    private static func line(_ way: DeviceProbe.Way, from laptop: String, isMuted: Bool) -> String {
        let transport = way.transport
        if let time = way.time {
            return tr(
                "{transport} reaches this laptop from \"{laptop}\" in {time}.",
                ["transport": transport, "laptop": laptop, "time": Ping.text(time)])
        }
        if isMuted, transport != "tcp" {
            return tr(
                "{transport} does not reach this laptop from \"{laptop}\", because Baton is paused here, the screen is locked or the disk is full.",
                ["transport": transport, "laptop": laptop])
        }
        return tr(
            "{transport} does not reach this laptop from \"{laptop}\".", ["transport": transport, "laptop": laptop])
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
