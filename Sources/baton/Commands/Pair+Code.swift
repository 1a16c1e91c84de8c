// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonClient
import Glibc
import QRCode

/// Pairing with a code that one laptop shows and the other reads.
extension Pair {
    /// A command that reads a code with a camera and passes its text to this tool.
    static let reader = "zbarcam --oneshot --raw | baton pair --code -"
    /// The largest size of a code, in bytes.
    static let maximumCodeLength = 8_192
    /// The largest number of reads from standard input. Each read returns one typed line, or up to
    /// ``maximumCodeLength`` bytes of a file or pipe.
    private static let maximumReads = 1_024
    /// How long to wait for a pairing. The daemon's own limit is shorter, and its error says more.
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

    /// Returns the code's text as given, or the first line of standard input that is not blank.
    private static func text(_ given: String) throws -> String {
        guard given == "-" else { return given }
        guard let line = try typedLine(), VisibleText.isReadable(line) else {
            throw ToolFailure(
                "standard input held no code; on the other laptop, baton pair --qr shows one", status: .badContents)
        }
        // zbarcam prints this prefix before the text unless it is called with `--raw`.
        return line.hasPrefix("QR-Code:") ? String(line.dropFirst("QR-Code:".count)) : line
    }

    /// Returns the first line of standard input that is not blank. Returns `nil` if there is no
    /// such line, or if an invalid line comes first.
    ///
    /// A line is invalid if it is too long or not UTF-8.
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

    /// Returns the code as lines for a terminal. If the terminal is too small, returns one line
    /// that says how to show the whole code.
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
