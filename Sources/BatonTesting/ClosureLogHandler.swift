// SPDX-License-Identifier: Apache-2.0

public import Logging

/// A log handler that passes each record to a closure.
public struct ClosureLogHandler: LogHandler {
    /// The metadata of the logger, which no record contains.
    public var metadata: Logger.Metadata = [:]
    /// The least important level whose records the closure gets.
    public var logLevel: Logger.Level
    private let receive: @Sendable (LogEvent) -> Void

    /// Creates a handler, by default for records of every level.
    public init(_ level: Logger.Level = .trace, _ receive: @escaping @Sendable (LogEvent) -> Void) {
        logLevel = level
        self.receive = receive
    }

    /// Reads and sets one value of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Passes a record to the closure.
    public func log(event: LogEvent) { receive(event) }
}
