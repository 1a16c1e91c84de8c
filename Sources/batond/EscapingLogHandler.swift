// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import Logging

/// Writes each log record as one line, with invisible characters escaped.
///
/// The log contains names, types and errors of other devices and apps. A line end in them could
/// forge a record, and an escape sequence could control the reader's terminal.
struct EscapingLogHandler: LogHandler {
    private var inner: any LogHandler

    /// Creates a handler.
    ///
    /// - Parameter inner: The handler that writes the records.
    init(_ inner: any LogHandler) { self.inner = inner }

    static func standardError(label: String) -> EscapingLogHandler {
        EscapingLogHandler(StreamLogHandler.standardError(label: label))
    }

    func log(event: LogEvent) {
        var event = event
        // The stream's handler would append the error's text without escapes.
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

    /// Converts a value to escaped text, including the values that it contains.
    private static func escaped(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        .string(VisibleText.escaped(value.description))
    }
}
