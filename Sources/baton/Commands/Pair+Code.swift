// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import Foundation
import Glibc
import QRCode

/// Pairing by a code that one laptop shows and the other reads.
extension Pair {
    /// What reads a code with a camera, and gives its text to this tool.
    static let reader = "zbarcam --oneshot --raw | baton pair --code -"
    /// The longest text that is read as a code, in bytes.
    static let maximumCodeLength = 8_192
    /// How long a code is waited for: longer than the daemon lets it live, whose error says more.
    private static let patience = Duration.seconds(630)

    func showCode() async throws {
        try await Daemon.connected { baton in
            let pairing = try await baton.bus.pairByCode()
            let text = pairing.code.trimmingCharacters(in: .whitespacesAndNewlines)
            let terminal = Terminal(STDOUT_FILENO)
            Output.standard.picture(try Self.picture(of: text, on: terminal), inColours: terminal.showsColours)
            let until = pairing.expires.formatted(
                Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false)
                    .timeZone(separator: .colon))
            Output.standard.line("read it on the other laptop, with its camera:  \(Self.reader)")
            Output.standard.line("or, where there is no camera, give this line to:  baton pair --code -")
            Output.standard.line(text)
            Output.standard.line("it is good for one laptop, until \(until); Ctrl-C takes it back")
            Self.tell(try await baton.bus.paired(pairing.pairing, timeout: Self.patience))
        }
    }

    func useCode(_ given: String) async throws {
        let text = try Self.text(given)
        try await Daemon.connected { baton in
            do {
                Self.tell(try await baton.bus.joinCircle(invitation: text))
            } catch let error as BatonBusError where error.code == .alreadyInCircle {
                throw ToolFailure(
                    "this laptop is in a circle already; show the code here, and read it on the other: baton pair --qr")
            }
        }
    }

    /// The code's text as it was given, or the first line of standard input that has one.
    private static func text(_ given: String) throws -> String {
        guard given == "-" else { return given }
        while let line = readLine() {
            // What zbarcam puts before a text, unless it is asked for the text alone.
            let text = line.hasPrefix("QR-Code:") ? String(line.dropFirst("QR-Code:".count)) : line
            guard text.utf8.count <= maximumCodeLength else { break }
            if !text.allSatisfy(\.isWhitespace) { return text }
        }
        throw ToolFailure("standard input held no code; on the other laptop, baton pair --qr shows one")
    }

    /// The code as lines for a terminal, or a line that says why there are none.
    static func picture(of text: String, on terminal: Terminal) throws -> [String] {
        let code: QRCode
        do { code = try QRCode(text) } catch { throw ToolFailure(error.description) }
        guard terminal.columns.map({ $0 >= code.width }) ?? true else {
            return ["(the QR code is \(code.width) columns wide: make the terminal wider, or its letters smaller)"]
        }
        return code.lines()
    }
}
