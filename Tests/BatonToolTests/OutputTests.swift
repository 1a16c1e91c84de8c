// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Foundation
import Glibc
import Testing
import UserInfoJSON

@testable import baton

/// Tests that texts of other devices and apps cannot control the terminal.
@Suite struct OutputTests {
    /// Characters that end a line, move the text, or begin an escape sequence.
    private static let active: [Unicode.Scalar] = [
        "\u{0}", "\u{7}", "\u{8}", "\n", "\r", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{9D}", "\u{61C}", "\u{200B}",
        "\u{200E}",
        "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{E0041}",
    ]

    /// Returns the output that a closure prints.
    private func written(_ body: (Output) throws -> Void) throws -> String {
        let pipe = Pipe()
        try body(Output(descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "a pipe"))
        try pipe.fileHandleForWriting.close()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test("A printed line is one line without control characters")
    func lineIsOneLine() throws {
        let text = "é " + String(String.UnicodeScalarView(Self.active)) + " 👩"
        let line = try written { try $0.line(text) }
        #expect(line.hasPrefix("é \\u{0}\\u{7}") && line.hasSuffix("\\u{e0041} 👩\n"))
        #expect(VisibleText.isVisible(String(line.dropLast())))
        #expect(try written { try $0.line("a\\u{1b}") } == "a\\u{1b}\n")
    }

    @Test("Printed JSON has no control characters, and keeps its meaning")
    func jsonIsVisible() throws {
        let text = String(String.UnicodeScalarView(Self.active)) + "é\"\\"
        let node = JSONNode.object([text: .array([.string(text)])])
        for isPretty in [false, true] {
            let json = try written { try $0.json(node, pretty: isPretty) }
            #expect(json.split(separator: "\n").allSatisfy { VisibleText.isVisible(String($0)) })
            #expect(try JSONNode(parsing: Data(json.utf8)) == node)
        }
    }

    @Test("Empty arrays and objects are on one line of the JSON")
    func whatIsEmptyIsOnOneLine() throws {
        let node = JSONNode.object(["a": .array([]), "b": .object([:]), "c": .string("[\n]")])
        #expect(try node.text(pretty: true) == "{\n  \"a\" : [],\n  \"b\" : {},\n  \"c\" : \"[\\n]\"\n}")
        #expect(try JSONNode.array([]).text(pretty: true) == "[]")
    }

    @Test("The tool's own texts keep line ends and tabs, but no other control characters")
    func ownLines() throws {
        #expect(try written { try $0.lines("a\n\tb\u{1B}[2J") } == "a\n\tb\\u{1b}[2J\n")
        #expect(try written { try $0.picture(["█"], inColours: true) } == "\u{1B}[97;40m█\u{1B}[0m\n")
        #expect(try written { try $0.picture(["\u{1B}"], inColours: false) } == "\\u{1b}\n")
    }

    /// A text that is printed in another way than with Output is not escaped.
    @Test("No code of the tool but Output writes to the terminal")
    func nothingButOutput() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/baton")
            .standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let others = try Regex(
            #"\b(print|debugPrint|dump|puts|fputs|printf|putchar|perror|vprintf|dprintf)\(|FileHandle\.standard|\b(stdout|stderr)\b"#
        )
        var count = 0
        for case let file as URL in files
        where file.pathExtension == "swift" && file.lastPathComponent != "Output.swift" {
            count += 1
            for (number, line) in try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .enumerated() where !line.drop(while: \.isWhitespace).hasPrefix("//") {
                #expect(line.firstMatch(of: others) == nil, "\(file.lastPathComponent):\(number + 1): say it by Output")
                // The descriptor may only be used to ask about the terminal, or for the bytes of a
                // stream.
                if line.contains("STDOUT_FILENO") || line.contains("STDERR_FILENO") {
                    #expect(
                        line.contains("Terminal(")
                            || ["StreamEnds.swift", "StandardDescriptors.swift"].contains(file.lastPathComponent),
                        "\(file.lastPathComponent):\(number + 1): say it by Output")
                }
            }
        }
        #expect(count > 30)
    }
}
