// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonClient
import Glibc
import QRCode

/// Pairing by a code that one laptop shows and the other reads.
extension Pair {
    /// What reads a code with a camera, and gives its text to this tool.
    static let reader = "zbarcam --oneshot --raw | baton pair --code -"
    /// The longest text that is read as a code, in bytes.
    static let maximumCodeLength = 8_192
    /// How often standard input is read for a code at most: each time brings a line of a user's, or
    /// of a program that waits, or ``maximumCodeLength`` bytes of something else.
    private static let maximumReads = 1_024
    /// How long a code is waited for: longer than the daemon lets it live, whose error says more.
    private static let patience = Duration.seconds(630)

    func showCode() async throws {
        try await Termination.cancels { try await Daemon.connected(Self.showCode) }
    }

    private static func showCode(_ baton: DaemonConnection) async throws {
        let pairing = try await baton.bus.pairByCode()
        let text = pairing.code.trimmed
        let terminal = Terminal(STDOUT_FILENO)
        try Output.standard.picture(Self.picture(of: text, on: terminal), inColours: terminal.showsColours)
        let until = LocalTime(pairing.expires)
        try Output.standard.line("read it on the other laptop, with its camera:  \(Self.reader)")
        try Output.standard.line("or, where there is no camera, give this line to:  baton pair --code -")
        try Output.standard.line(text)
        try Output.standard.line("it is good for one laptop, until \(until.clock)\(until.zone); Ctrl-C takes it back")
        try Self.tell(await baton.bus.paired(pairing.pairing, timeout: Self.patience))
    }

    func useCode(_ given: String) async throws {
        let text = try Self.text(given)
        try await Daemon.connected { baton in
            try Self.tell(await baton.bus.joinCircle(invitation: text))
        }
    }

    /// The code's text as it was given, or the first line of standard input that has one.
    private static func text(_ given: String) throws -> String {
        guard given == "-" else { return given }
        guard let line = try typedLine(), VisibleText.isReadable(line) else {
            throw ToolFailure(
                "standard input held no code; on the other laptop, baton pair --qr shows one", status: .badContents)
        }
        // What zbarcam puts before a text, unless it is asked for the text alone.
        return line.hasPrefix("QR-Code:") ? String(line.dropFirst("QR-Code:".count)) : line
    }

    /// The first line of standard input that is not blank; nil when there is none, or it is too
    /// long or no text.
    private static func typedLine() throws -> String? {
        var lines = LineSplitter(limit: maximumCodeLength)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumCodeLength, alignment: 16)
        defer { buffer.deallocate() }
        for _ in 0..<maximumReads {
            let count = try Descriptor.read(into: buffer, from: STDIN_FILENO, called: "standard input")
            let found = count > 0 ? lines.take(buffer[..<count]) : [lines.finish()].compactMap(\.self)
            for line in found {
                guard let text = line.text.flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
                let trimmed = text.trimmed
                if !trimmed.isEmpty { return trimmed }
            }
            if count == 0 { break }
        }
        return nil
    }

    /// The code as lines for a terminal, or a line that says why there are none.
    static func picture(of text: String, on terminal: Terminal) throws -> [String] {
        let code: QRCode
        do { code = try QRCode(text) } catch { throw ToolFailure(error.description) }
        let lines = code.lines()
        let fits = (terminal.columns ?? .max) >= code.width && (terminal.rows ?? .max) >= lines.count
        guard fits else {
            return [
                "(the QR code has \(code.width) columns and \(lines.count) lines: make the terminal larger, or its letters smaller, "
                    + "and run this again)"
            ]
        }
        return lines
    }
}
