// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Logging

/// A log that a test can inspect.
final class KeptLog: Sendable {
    private struct Handler: LogHandler {
        let log: KeptLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(log: KeptLog) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.add("\(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")")
        }
    }

    private let kept = Watched<[String]>([])

    /// A logger that writes to this log, at every level.
    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    /// All records, one line each.
    var lines: [String] { kept.value }
    /// All records as one text.
    var text: String { lines.joined(separator: "\n") }

    /// Waits until this number of lines contain a text.
    func holds(_ count: Int, with part: String) async throws {
        try await kept.wait("\(count) lines with \(part)") { lines in
            lines.count { $0.contains(part) } >= count ? () : nil
        }
    }

    /// Adds a line of the test itself.
    func add(_ line: String) { kept.change { $0.append(line) } }
}
