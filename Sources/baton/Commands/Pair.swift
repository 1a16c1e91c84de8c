// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus
import Foundation

/// `baton pair`
struct Pair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make this laptop and another one devices of one circle.",
        discussion: """
            Run it on both, near each other, within two minutes. Both show six digits: if they are the same, say yes on both. The answer is read \
            from standard input, a line with yes or no. Where there is no Bluetooth, give one of them the address that the other one shows.
            """)

    @Option(
        help: ArgumentHelp(
            "Where the other laptop, on which baton pair runs already, is reached.", valueName: "IP:PORT"))
    var address: String?

    func run() async throws {
        try await Daemon.connected { baton in
            let status = try await baton.bus.status()
            if address == nil {
                Output.standard.line("run this on the other laptop too: baton pair")
                for endpoint in status.endpoints where endpoint.hasPrefix("tcp:") {
                    Output.standard.line(
                        "or, without Bluetooth:          baton pair --address \(Self.address(endpoint))")
                }
            }
            let found = try await baton.bus.pair(address: address)
            Output.standard.line("the digits: \(found.digits.prefix(3)) \(found.digits.suffix(3))")
            Output.standard.line("does the other laptop show the same? (yes or no)")
            let circle = try await Self.decide(found.pairing, baton.bus)
            Output.standard.line("paired: your circle is this laptop and \(CircleText.others(circle))")
            if let advice = CircleText.sameName(circle) { Output.standard.line(advice) }
        }
    }

    /// Waits for the user here and for the other one, whichever answers first.
    private static func decide(_ pairing: String, _ bus: BatonBusClient) async throws -> CircleSummary {
        let answers = Self.lines()
        let asking = Task {
            for await line in answers {
                switch line.lowercased().filter({ !$0.isWhitespace }) {
                case "yes", "y": return try await bus.confirm(pairing: pairing, same: true)
                case "no", "n": return try await bus.confirm(pairing: pairing, same: false)
                default: Output.standard.line("please answer yes or no")
                }
            }
            // Nobody can answer any more.
            if !Task.isCancelled { try await bus.confirm(pairing: pairing, same: false) }
        }
        defer { asking.cancel() }
        return try await bus.paired(pairing)
    }

    /// Standard input's lines, read on a thread of their own: a terminal answers when its user does.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let thread = Thread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
            thread.start()
        }
    }

    /// `tcp:192.0.2.7:4711` without its transport, and with brackets about an IPv6 address.
    static func address(_ endpoint: String) -> String {
        let rest = endpoint.dropFirst("tcp:".count)
        guard let colon = rest.lastIndex(of: ":") else { return String(rest) }
        let host = rest[..<colon]
        return host.contains(":") ? "[\(host)]\(rest[colon...])" : String(rest)
    }
}
