// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus
import Foundation

/// `baton status`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say how the daemon, its radio and the circle fare.")

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let status = try await Daemon.connected { try await $0.bus.status() }
        if json {
            try Output.standard.json(Self.node(status), pretty: true)
        } else {
            for line in Self.lines(status) { try Output.standard.line(line) }
        }
    }

    static func node(_ status: DaemonStatus) -> JSONNode {
        .object([
            "version": .string(status.version),
            "toolVersion": .string(BatonVersion.current),
            "radio": .string(status.radio),
            "radioCondition": .string(status.radioCondition),
            "radioSummary": .string(status.radioSummary),
            "radioReason": .string(status.radioReason),
            "adapters": .array(status.adapters.map(JSONNode.string)),
            "device": .string(status.device),
            "deviceName": .string(status.deviceName),
            "circle": status.circle.map(JSONNode.string) ?? .null,
            "members": Devices.node(status.members),
            "tcp": .bool(status.tcp),
            "endpoints": .array(status.endpoints.map(JSONNode.string)),
            "paused": .bool(status.isPaused),
            "pausedUntil": status.pausedUntil.map { .string($0.formatted(.iso8601)) } ?? .null,
            "warnings": .array(status.warnings.map(JSONNode.string)),
            "counts": .object(status.counts.mapValues { .int(Int64($0)) }),
        ])
    }

    /// What to do when daemon and tool are of different versions, as after an update; nil when they
    /// are not.
    static func otherVersion(_ status: DaemonStatus) -> String? {
        guard status.version != BatonVersion.current else { return nil }
        return "this baton is \(BatonVersion.current): run systemctl --user restart batond"
    }

    static func lines(_ status: DaemonStatus) -> [String] {
        let radio = [status.radio, status.radioCondition, status.radioSummary].filter { !$0.isEmpty }
        var lines = [
            "daemon   \(status.version)" + (otherVersion(status).map { "; \($0)" } ?? ""),
            "device   \(status.deviceName)  \(status.device)",
            "radio    " + radio.joined(separator: ", "),
        ]
        if !status.radioReason.isEmpty { lines.append("         because \(status.radioReason)") }
        if !status.adapters.isEmpty { lines.append("adapter  " + status.adapters.joined(separator: ", ")) }
        lines.append("tcp      " + (status.tcp ? "on" : "off"))
        lines += status.endpoints.map { "reach    \($0)" }
        if let circle = status.circle {
            lines.append("circle   \(circle)")
            lines += status.members.map {
                "member   \($0.name)  \($0.device)  \($0.whereabouts(at: Date()))"
            }
        } else {
            lines.append("circle   none: run baton pair here and on another laptop, or baton circle join FILE")
        }
        if let pause = PauseText.pause(of: status) { lines.append("paused   \(pause); 'baton resume' ends that") }
        return (lines + status.warnings.map { "warning  \($0)" })
    }
}
