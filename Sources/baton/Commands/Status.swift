// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Diagnosis
import FoundationEssentials
import UserInfoJSON
import Wording

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the state of the daemon, its radio and the circle.")

    @Flag(help: "Print one JSON object; with --watch, one on each line.")
    var json = false

    @Flag(help: "Stay, and show the status and the offers again after each change.")
    var watch = false

    /// An output format that another program reads.
    enum Format: String, ExpressibleByArgument, CaseIterable { case waybar }

    @Option(help: "With --watch: print each status for another program, which is waybar.")
    var format: Format?

    func validate() throws {
        guard format == nil || watch && !json else {
            throw ValidationError("--format is for --watch, and prints JSON by itself; leave --json out")
        }
    }

    func run() async throws {
        if watch { return try await follow() }
        let status = try await Daemon.connected { try await $0.bus.status() }
        if json {
            try Output.standard.json(Self.node(status), pretty: true)
        } else {
            for line in Self.lines(status, FirefoxProfile.newest()) { try Output.standard.line(line) }
        }
    }

    private func follow() async throws {
        let watch = StatusWatch(json: json || format != nil, isForWaybar: format == .waybar)
        do {
            try await Termination.cancels { try await Output.standard.whileRead(watch.run) }
        } catch let failure as ToolFailure where failure.status == .interrupted {}
    }

    /// Returns the status and the offers as one JSON object, for `--watch`.
    static func node(_ status: DaemonStatus, offers: [OfferSummary]) -> JSONNode {
        guard case .object(let members) = node(status) else { return node(status) }
        return .object(members.merging(["offers": .array(offers.map(OfferText.node))]) { $1 })
    }

    static func node(_ status: DaemonStatus) -> JSONNode {
        .object([
            "version": .string(status.version),
            "toolVersion": .string(BatonVersion.current),
            "radio": .string(status.radio),
            "radioCondition": .string(status.radioCondition),
            "radioSummary": .string(status.radioProblem?.text(on: .terminal, in: .english) ?? ""),
            "radioReason": .string(status.radioReason),
            "adapters": .array(status.adapters.map(JSONNode.string)),
            "device": status.device.isEmpty ? .null : .string(status.device),
            "deviceName": .string(status.deviceName),
            "circle": status.circle.map(JSONNode.string) ?? .null,
            "members": Devices.node(status.members),
            "tcp": .bool(status.tcp),
            "endpoints": .array(status.endpoints.map(JSONNode.string)),
            "paused": .bool(status.isPaused),
            "pausedUntil": status.pausedUntil.map { .string($0.formatted(.iso8601)) } ?? .null,
            "warnings": .array(status.findings.map { .string($0.text(on: .terminal, in: .english)) }),
            "withheld": .array(
                status.withheld.map { .object(["name": .string($0.name), "reason": .string($0.reason)]) }),
            "counts": .object(status.counts.mapValues { .int(Int64($0)) }),
        ])
    }

    /// Returns advice if the daemon and this tool have different versions, as after an update.
    /// Returns `nil` if the versions are equal.
    static func otherVersion(_ status: DaemonStatus) -> String? {
        guard status.version != BatonVersion.current else { return nil }
        return "this baton is \(BatonVersion.current): run systemctl --user restart batond"
    }

    /// Returns the status as lines for people.
    ///
    /// - Parameter firefox: The Firefox profile that was used last, which the daemon does not know.
    static func lines(_ status: DaemonStatus, _ firefox: FirefoxProfile? = nil) -> [String] {
        let radio = [status.radio, status.radioCondition].filter { !$0.isEmpty }
        var lines = [
            "daemon   \(status.version)" + (otherVersion(status).map { "; \($0)" } ?? ""),
            "device   \(status.deviceName)  \(status.device.isEmpty ? "(not known)" : status.device)",
            "radio    " + radio.joined(separator: ", "),
        ]
        if !status.radioReason.isEmpty { lines.append("         \(status.radioReason)") }
        if !status.adapters.isEmpty { lines.append("adapter  " + status.adapters.joined(separator: ", ")) }
        lines.append("tcp      " + (status.tcp ? "on" : "off"))
        lines += status.endpoints.map { "reach    \($0)" }
        if let circle = status.circle {
            lines.append("circle   \(circle)")
            lines += status.members.map {
                "member   \($0.name)  \($0.device)  \($0.standing(at: Date()))"
            }
        } else if !status.hasKeys {
            lines.append("circle   not known: this device's keys cannot be used")
        } else {
            lines.append("circle   none: run baton pair here and on another laptop, or baton circle join FILE")
        }
        if let pause = PauseText.pause(of: status) {
            lines.append("paused   \(pause); 'baton resume' ends that. News of the circle comes when it is over")
        }
        lines += status.withheld.map { "withheld \($0.name) is not offered: \($0.reason)" }
        return lines + (status.findings + (firefox?.findings ?? [])).map { "warning  \($0.text(on: .terminal))" }
    }
}
