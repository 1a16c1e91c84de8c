// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Diagnosis

/// `baton pair`
struct Pair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make this laptop and another one devices of one circle.",
        discussion: """
            Run it on both, near each other, within two minutes. Both show six digits: if they are the same, say yes on both. The answer is read \
            from standard input, a line with yes or no; its end counts as a no. Where there is no Bluetooth, give one of them the address that the other one shows.

            Or run it with --qr on one of them: it shows a code that the other one's camera reads. Where there is no camera, carry the code's \
            text there, by a way that only you can read, and give it to --code. If one of them is in a circle, it shows the code; by digits it does not matter.

            A laptop that was removed from the circle while it was away does not know that. With --anew, or by the other one's code, it comes back: it \
            leaves the circle by itself and joins it as a new device, when the other laptop shows that it was removed, and else stays as it is. \
            A laptop that is in no circle has none to come back to: it says so, and pairs as without --anew. \
            One that was not removed stays as it is, and that counts as a failure, as what follows.

            A no, and a pairing that is broken off once there are digits, count as failures: the next one by digits waits for 1 minute, then 4, 16 and 60, \
            on both laptops. One by a code does not wait.
            """)

    @Option(
        help: ArgumentHelp(
            "Where the other laptop, on which baton pair runs already, is reached.", valueName: "IP:PORT"))
    var address: String?

    @Flag(help: "This laptop was removed from the circle that the other one is in: come back to it as a new device.")
    var anew = false

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
        if let address {
            do {
                _ = try PairingAddress(address)
            } catch let error as BatonError {
                throw ValidationError("--\(error)")
            }
        }
        guard !anew || !qr && code == nil else {
            throw ValidationError(
                "--anew is for pairing by digits; by a code a laptop comes back without it: read the other's code")
        }
    }

    func run() async throws {
        if qr { return try await showCode() }
        if let code { return try await useCode(code) }
        // The daemon abandons a pairing when the program that started it ends.
        try await Termination.cancels { try await Daemon.connected(self.compareDigits) }
    }

    private func compareDigits(_ baton: DaemonConnection) async throws {
        let status = try await baton.bus.status()
        // Checked before any output, so that nobody goes to the other laptop in vain.
        if let refusal = status.pairingRefusal {
            throw refusal == status.withoutCircle?.reported
                ? Daemon.withoutCircle(status) : ToolFailure(refusal, status: .refused)
        }
        if anew, status.circle == nil {
            Output.warn("this laptop is in no circle to come back to; it pairs as without --anew")
        }
        if let address {
            try Output.standard.line("trying \(address), for two minutes at most; run on the other laptop: baton pair")
        } else {
            try Output.standard.line("run this on the other laptop\(anew ? "" : " too"): baton pair")
            let tcp = "tcp:"
            for endpoint in status.endpoints where endpoint.hasPrefix(tcp) {
                try Output.standard.line(
                    "or, without Bluetooth:          baton pair --address \(Self.quoted(endpoint.dropFirst(tcp.count)))"
                )
            }
        }
        let found = try await baton.bus.pair(address: address, anew: anew)
        try Output.standard.line("the digits: \(found.digits.prefix(3)) \(found.digits.suffix(3))")
        try Output.standard.line("does the other laptop show the same? (yes or no)")
        do {
            try Self.tell(await Self.decide(found.pairing, baton.bus))
        } catch is CancellationError {
            throw ToolFailure(
                "pairing was given up; by digits it can be tried again in a minute or more, 'baton pair --qr' works until then",
                status: .interrupted)
        }
    }

    /// Quotes brackets, because some shells read them as a pattern.
    private static func quoted(_ address: Substring) -> String { address.contains("[") ? "'\(address)'" : "\(address)" }

    static func tell(_ circle: CircleSummary) throws {
        try Output.standard.line("paired: your circle is this laptop and \(CircleText.others(circle))")
        if let advice = CircleText.sameName(circle.deviceName, among: circle.members) { Output.warn(advice) }
    }

    /// Waits for this user's answer and for the other one's, whichever comes first.
    private static func decide(_ pairing: String, _ bus: BatonBusClient) async throws -> CircleSummary {
        let answers = TypedLines().stream()
        let asking = Task {
            for await line in answers {
                switch Answer(line) {
                case .yes:
                    try Output.standard.line("waiting for the other laptop's yes")
                    return try await bus.confirm(pairing: pairing, same: true)
                case .no: return try await bus.confirm(pairing: pairing, same: false)
                case nil: try Output.standard.line(Answer.wanted)
                }
            }
            // Standard input has ended, so no answer can come any more.
            if !Task.isCancelled { try await bus.confirm(pairing: pairing, same: false) }
        }
        defer { asking.cancel() }
        return try await bus.paired(pairing)
    }
}
