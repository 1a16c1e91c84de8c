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

            Or run it with --qr on one of them: it shows a code that the other one's camera reads. Where there is no camera, carry the code's \
            text there, by a way that only you can read, and give it to --code.
            """)

    @Option(
        help: ArgumentHelp(
            "Where the other laptop, on which baton pair runs already, is reached.", valueName: "IP:PORT"))
    var address: String?

    @Flag(help: "Show a QR code for the other laptop, instead of six digits.")
    var qr = false

    @Option(
        help: ArgumentHelp(
            "The text of the code that the other laptop shows; - to read it from standard input, which other users of this laptop do not see.",
            valueName: "TEXT"))
    var code: String?

    func validate() throws {
        guard [address != nil, qr, code != nil].count(where: { $0 }) < 2 else {
            throw ValidationError("--address, --qr and --code are three ways to pair; give one of them")
        }
    }

    func run() async throws {
        if qr { return try await showCode() }
        if let code { return try await useCode(code) }
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
            Self.tell(circle)
        }
    }

    static func tell(_ circle: CircleSummary) {
        Output.standard.line("paired: your circle is this laptop and \(CircleText.others(circle))")
        if let advice = CircleText.sameName(circle) { Output.standard.line(advice) }
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
