// SPDX-License-Identifier: Apache-2.0

import Logging

/// A log whose lines a test can look at.
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
