// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials
import UserInfoJSON

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what left this laptop recently.",
        discussion: """
            For each activity that another laptop got, it shows the time, the laptop, the app and the activity's \
            type. Titles, contents and addresses are not kept. An entry counts repetitions within ten minutes. \
            Entries are kept for a day. Set 'history' in baton.conf to change that time, or to keep nothing.
            """)

    @Flag(help: "Print one JSON array.")
    var json = false

    @Flag(help: "Delete the history.")
    var forget = false

    func validate() throws {
        guard !json || !forget else {
            throw ValidationError("--json shows the history, and --forget removes it; give one of them")
        }
    }

    func run() async throws {
        if forget {
            try await Daemon.connected { try await $0.bus.forgetHistory() }
            return try Output.standard.line("the history is empty")
        }
        let entries = try await Daemon.connected { try await $0.bus.history() }
        if json { return try Output.standard.json(.array(entries.map(Self.node)), pretty: true) }
        if entries.isEmpty { try Output.standard.line("nothing has left this laptop, as far as the history goes") }
        for entry in entries { try Output.standard.line(Self.line(entry)) }
    }

    /// Returns an entry's JSON object, as described in baton-json(5).
    static func node(_ entry: HistoryEntry) -> JSONNode {
        .object([
            "first": .string(entry.first.formatted(.iso8601)), "last": .string(entry.last.formatted(.iso8601)),
            "device": .string(entry.device), "deviceName": .string(entry.deviceName),
            "application": entry.application.map(JSONNode.string) ?? .null, "type": .string(entry.type),
            "count": .int(Int64(entry.count)),
        ])
    }

    /// Returns an entry's line in the output.
    static func line(_ entry: HistoryEntry) -> String {
        let (last, first) = (LocalTime(entry.last), LocalTime(entry.first))
        let since = (first.day == last.day ? "" : first.day + " ") + first.clock
        return "\(last.day) \(last.clock)  \(entry.deviceName)  \(entry.application ?? "an unknown app")  \(entry.type)"
            + (entry.count > 1 ? "  (\(entry.count) times since \(since))" : "")
    }
}
