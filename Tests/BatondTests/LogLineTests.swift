// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Logging
import Testing

@testable import batond

/// Tests that texts of other devices, apps and files cannot forge a log line or control a terminal.
@Suite(.timeLimit(.minutes(3))) struct LogLineTests {
    @Test("A record with its metadata is one line, without anything that a terminal obeys")
    func recordIsOneLine() {
        let records = Records()
        var logger = Logger(label: "t") { _ in EscapingLogHandler(records) }
        logger.logLevel = .trace
        let hostile = "a\n2026-01-01 error batond: forged\u{1B}]0;title\u{7}\u{9B}31m\u{202E}"
        logger.warning(
            "\(hostile)", metadata: ["type": "\(hostile)", "list": ["\(hostile)"], "pair": ["k": "\(hostile)"]])
        logger[metadataKey: "own"] = "\(hostile)"
        logger.notice("é")
        #expect(records.lines.count == 2)
        for line in records.lines {
            #expect(
                !line.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }, "\(line)"
            )
        }
        #expect(records.lines[0].hasPrefix("a\\u{a}2026-01-01 error batond: forged\\u{1b}]0;"))
        #expect(records.lines[1].hasPrefix("é "))
    }

    @Test("The contents of a file are escaped in the daemon's own log")
    func logOfADaemon() async throws {
        try await withDirectory { root in
            let directory = root.appending(path: ".config/baton")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data("col\u{1B}[31mour\u{9B}x = red\n".utf8).write(to: directory.appending(path: "baton.conf"))
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.logs("no key \"col\\u{1b}[31mour\\u{9b}x\""))
            let end = await daemon.end()
            #expect(!end.log.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" })
        }
    }

    @Test("Only the daemon's own handler writes the daemon's log")
    func nothingElseLogs() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
            .standardizedFileURL
        let others = try Regex(
            #"\b(print|debugPrint|dump|puts|fputs|printf|perror|syslog)\(|StreamLogHandler|FileHandle\.standard"#)
        for module in [
            "batond", "BatonService", "BatonDesktop", "BatonBus", "BatonProtocol", "BatonTransport", "BlueZTransport",
            "TCPTransport", "DBus",
        ] {
            let files = try #require(
                FileManager.default.enumerator(at: sources.appending(path: module), includingPropertiesForKeys: nil))
            for case let file as URL in files
            where file.pathExtension == "swift" && file.lastPathComponent != "EscapingLogHandler.swift" {
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                where !line.drop(while: \.isWhitespace).hasPrefix("//") && line.firstMatch(of: others) != nil {
                    #expect(line.contains("VisibleText.escaped("), "\(file.lastPathComponent): \(line)")
                }
            }
        }
    }
}
