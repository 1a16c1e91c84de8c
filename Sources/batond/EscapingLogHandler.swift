// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import Logging

/// What all of the daemon's log goes through: a record is one line, and what is not to be seen in
/// it is shown, not obeyed.
///
/// Names, types and errors of other devices and apps stand in the log. One with a line end could
/// forge a record, one with an escape sequence could play with the terminal of whoever reads it.
struct EscapingLogHandler: LogHandler {
    private var inner: any LogHandler

    /// - Parameter inner: Where records go.
    init(_ inner: any LogHandler) { self.inner = inner }

    /// Records go to standard error.
    static func standardError(label: String) -> EscapingLogHandler {
        EscapingLogHandler(StreamLogHandler.standardError(label: label))
    }

    func log(event: LogEvent) {
        var event = event
        // The stream's handler would put an error's text behind the message as it is.
        let failure = event.error.map { " (\($0))" } ?? ""
        event.error = nil
        event.message = "\(VisibleText.escaped(event.message.description + failure))"
        event.metadata = event.metadata.map(Self.escaped)
        inner.log(event: event)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue.map(Self.escaped) }
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = Self.escaped(newValue) }
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    private static func escaped(_ metadata: Logger.Metadata) -> Logger.Metadata { metadata.mapValues(escaped) }

    /// As text: what the value holds is written the same way.
    private static func escaped(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        .string(VisibleText.escaped(value.description))
    }
}
