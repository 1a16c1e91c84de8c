// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Glibc
import UserInfoJSON
import Wording

/// Runs `baton status --watch`: prints the status whenever it changes.
struct StatusWatch {
    /// The interval between two requests for the status. The daemon sends no signal when it hears
    /// another device.
    private static let interval = Duration.seconds(1)

    let json: Bool
    var isForWaybar = false
    private let terminal = Terminal(STDOUT_FILENO)

    /// Prints the status until the task is cancelled. If the daemon has ended, prints that and
    /// waits for a new daemon.
    ///
    /// - Throws: An error if the output cannot be written, or if there is no session bus.
    func run() async throws {
        try await Daemon.connected { connection in
            var (shown, told): ([String], JSONNode?) = ([], nil)
            while !Task.isCancelled {
                let (lines, node) = try await look(connection.bus)
                let news = Self.news(in: node)
                // On a screen, show every change, even of seconds. In a file or pipe, each such
                // change would print the whole status again.
                if isScreen ? lines != shown : news != told {
                    (shown, told) = (lines, news)
                    try show(lines, node)
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Returns the status without the counters and times, which change all the time.
    static func news(in node: JSONNode) -> JSONNode {
        guard case .object(var members) = node else { return node }
        members["counts"] = nil
        if case .array(let devices)? = members["members"] {
            members["members"] = .array(
                devices.map { device in
                    guard case .object(var values) = device else { return device }
                    values["lastSeen"] = nil
                    return .object(values)
                })
        }
        return .object(members)
    }

    private var isScreen: Bool { !json && terminal.showsColours && terminal.columns != nil && terminal.rows != nil }

    private func look(_ bus: BatonBusClient) async throws -> (lines: [String], node: JSONNode) {
        do {
            let (status, offers) = (try await bus.status(), try await bus.offers())
            let sorted = offers.sorted { $0.offer < $1.offer }
            return (
                Status.lines(status) + sorted.map { "offer    \(OfferText.line($0))" },
                isForWaybar
                    ? WaybarText.node(status, offers: sorted) : Status.node(status, offers: sorted)
            )
        } catch let error as BatonError where error.code == .daemonNotRunning || error.isUnanswered {
            let node =
                isForWaybar
                ? WaybarText.node(nil, offers: [])
                : .object(["error": .string(error.text(on: .terminal, in: .english))])
            return ([error.text(on: .terminal)], node)
        }
    }

    private func show(_ lines: [String], _ node: JSONNode) throws {
        if json { return try Output.standard.json(node) }
        if terminal.showsColours, let columns = terminal.columns, let rows = terminal.rows {
            try Output.standard.screen(lines, columns: columns, rows: rows)
        } else {
            for line in lines + [""] { try Output.standard.line(line) }
        }
    }
}
