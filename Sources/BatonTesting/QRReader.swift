// SPDX-License-Identifier: Apache-2.0

internal import ChildProcesses
internal import Foundation

/// Reads a QR code from a terminal's output with zbar's `zbarimg`, as a camera would. zbar shares
/// no code with the encoder.
public enum QRReader {
    /// The error that is thrown if a code could not be read.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason, in one line.
        public let description: String
    }

    /// The width of a module, in pixels.
    private static let scale = 4

    /// Returns the text of a code that is drawn with `█`, `▀`, `▄` and spaces, light on dark.
    /// Ignores escape sequences for colours.
    ///
    /// - Throws: ``Failure`` when the lines contain another character, or zbar finds no code.
    public static func text(in lines: [String]) async throws -> String {
        let image = FileManager.default.temporaryDirectory.appending(path: "qr-\(UUID().uuidString).pgm")
        try pixels(lines.map(plain)).write(to: image)
        defer { try? FileManager.default.removeItem(at: image) }
        let (output, errors) = (Pipe(), Pipe())
        let reader = try await ChildProcess(
            "/usr/bin/zbarimg", ["--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", image.path],
            output: .handle(output.fileHandleForWriting), error: .handle(errors.fileHandleForWriting))
        // Read the pipes only after zbarimg has ended. Until then zbarimg cannot block, because its
        // output is short enough to fit into the pipes.
        let end = try await reader.end
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        let words = try errors.fileHandleForReading.readToEnd() ?? Data()
        guard end == .exited(0), let text = String(bytes: data, encoding: .utf8) else {
            throw Failure(description: "zbarimg found no QR code: " + String(decoding: words, as: UTF8.self))
        }
        // zbarimg adds a newline to each code.
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// Returns a line without its escape sequences of the form `ESC [ … m`.
    static func plain(_ line: String) -> String {
        var rest = line[...]
        var text = ""
        while let escape = rest.firstIndex(of: "\u{1B}") {
            text += rest[..<escape]
            rest = rest[escape...].drop { $0 != "m" }.dropFirst()
        }
        return text + rest
    }

    /// Returns a grey picture (PGM) of the lines. Each line of text becomes two rows of modules.
    private static func pixels(_ lines: [String]) throws -> Data {
        let width = lines.map(\.count).max() ?? 0
        var rows: [[UInt8]] = []
        for line in lines {
            var (upper, lower): ([UInt8], [UInt8]) = ([], [])
            for character in line.padding(toLength: width, withPad: " ", startingAt: 0) {
                let (above, below): (UInt8, UInt8) =
                    switch character {
                    case "█": (255, 255)
                    case "▀": (255, 0)
                    case "▄": (0, 255)
                    case " ": (0, 0)
                    default: throw Failure(description: "no part of a QR code: \(character)")
                    }
                upper += Array(repeating: above, count: scale)
                lower += Array(repeating: below, count: scale)
            }
            for _ in 0..<scale { rows.append(upper) }
            for _ in 0..<scale { rows.append(lower) }
        }
        return Data("P5\n\(width * scale) \(rows.count)\n255\n".utf8) + Data(rows.joined())
    }
}
