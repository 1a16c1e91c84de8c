// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Diagnosis
import Wording

struct Pair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put this laptop and another one into one circle.",
        discussion: """
            Run it on both laptops, near each other, within two minutes. Both show six digits. If the digits are \
            the same, say yes on both. The answer is read from standard input: a line with yes or no. The end of \
            the input counts as a no. Without Bluetooth, give one laptop the address that the other one shows, \
            with --address.

            Or run it with --qr on one laptop: it shows a code that the other laptop's camera reads. Without a \
            camera, carry the code's text to the other laptop in a way that only you can read, and give it to \
            --code. If one laptop is in a circle, that laptop must show the code. For pairing by digits, it does \
            not matter which one is in a circle.

            A laptop that was removed from the circle while it was away does not know that. It comes back with \
            --anew, or with the other laptop's code. If the other laptop shows that it was removed, it leaves \
            the circle by itself, and joins it as a new device. Otherwise it stays in the circle as it is, and \
            the pairing counts as failed. A laptop that is in no circle says so, and pairs as without --anew.

            A pairing has also failed when a user says no, or when it breaks off after the digits were shown. \
            Then the next pairing by digits must wait on both laptops: 1 minute, then 4, 16 and 60. A pairing by \
            a code does not wait.
            """)

    @Option(
        help: ArgumentHelp(
            "The address of the other laptop, on which baton pair is already running.", valueName: "IP:PORT"))
    var address: String?

    @Flag(help: "Return as a new device to the other laptop's circle, from which this laptop was removed.")
    var anew = false

    @Flag(help: "Show a QR code for the other laptop, instead of six digits.")
    var qr = false

    @Option(
        help: ArgumentHelp(
            "The text of the code that the other laptop shows. With -, it is read from standard input, which other users of this laptop do not see.",
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
        // The daemon abandons the pairing when this program disconnects.
        try await Termination.cancels { try await Daemon.connected(self.compareDigits) }
    }

    private func compareDigits(_ baton: DaemonConnection) async throws {
        let status = try await baton.bus.status()
        // Check for a refusal before any output, because the output tells the user to go to the
        // other laptop.
        if let refusal = status.pairingRefusal {
            throw refusal == status.withoutCircle
                ? Daemon.withoutCircle(status) : ToolFailure(refusal.text(on: .terminal), status: .refused)
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

    /// Waits until both users have confirmed the digits, or until one has refused them.
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
            // Standard input has ended without an answer, so refuse the pairing.
            if !Task.isCancelled { try await bus.confirm(pairing: pairing, same: false) }
        }
        defer { asking.cancel() }
        return try await bus.paired(pairing)
    }
}
