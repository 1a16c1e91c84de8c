// SPDX-License-Identifier: GPL-3.0-or-later

import Logging

/// Keeps records in the form in which the stream's handler would write them.
final class Records: LogHandler, @unchecked Sendable {
    // Unchecked because one test uses it on one thread.
    var lines: [String] = []
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        lines.append("\(event.message) \(all.map { "\($0.key)=\($0.value)" })")
    }
}
