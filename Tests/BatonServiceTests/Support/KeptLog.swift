// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Logging

/// A log that a test can inspect.
final class KeptLog: Sendable {
    private let kept = Watched<[String]>([])

    /// A logger that writes to this log, at every level.
    var logger: Logger {
        let handler = ClosureLogHandler { event in
            self.add("\(event.message) \(event.metadata ?? [:]) \(event.error.map { "\($0)" } ?? "")")
        }
        return Logger(label: "test") { _ in handler }
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
