// SPDX-License-Identifier: Apache-2.0

import Logging

/// A log that a test can inspect.
struct JournalLog: LogHandler {
    let journal: Journal
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(journal: Journal) { self.journal = journal }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { journal.add("\(event.message)") }
}
