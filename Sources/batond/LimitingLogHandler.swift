// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTransport
import Logging
import Synchronization

/// Drops log lines that other devices or programs cause too often, and later logs their number.
///
/// Another device must neither fill the disk nor hide the other lines of the log.
struct LimitingLogHandler: LogHandler {
    private var inner: any LogHandler
    private let limiter: LineLimiter

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - inner: The handler that writes the records.
    ///   - limiter: The limiter that all handlers of the process share.
    init(_ inner: any LogHandler, _ limiter: LineLimiter) { (self.inner, self.limiter) = (inner, limiter) }

    func log(event: LogEvent) {
        if let cause = event.metadata?[LogMetadata.cause], event.level >= LineLimiter.leastLevel,
            !limiter.admits("\(cause)", reportingTo: inner)
        {
            return
        }
        inner.log(event: event)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }
}

/// Limits the log lines that other devices or programs cause, for the whole process.
final class LineLimiter: Sendable {
    /// The least important level that is limited. The log has less important lines only if the user
    /// asks for them.
    static let leastLevel = Logger.Level.notice

    private let clock: any DeviceClock
    private let allowance = Mutex(LineAllowance())

    init(clock: any DeviceClock) { self.clock = clock }

    /// Returns whether to write a line. The number of dropped lines is logged later.
    func admits(_ cause: String, reportingTo handler: any LogHandler) -> Bool {
        let now = clock.uptime
        switch allowance.withLock({ $0.judge(cause, at: now) }) {
        case .isWritten: return true
        case .isLeftOut(let isFirst):
            if isFirst { report(at: now + LineAllowance.countingTime, to: handler) }
            return false
        }
    }

    private func report(at uptime: Duration, to handler: any LogHandler) {
        Task {
            guard (try? await clock.sleep(until: uptime)) != nil else { return }
            Logger(label: "") { _ in handler }.log(
                level: Self.leastLevel, "\(allowance.withLock { $0.takeReport() })")
        }
    }
}
