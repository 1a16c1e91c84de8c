// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTransport
import Logging
import Synchronization

/// Leaves out lines that others cause too often, and says later how many they were: another device
/// shall not fill the disk, nor hide what else the log has to say.
struct LimitingLogHandler: LogHandler {
    private var inner: any LogHandler
    private let limiter: LineLimiter

    /// - Parameters:
    ///   - inner: Where records go.
    ///   - limiter: What all of the process's handlers share.
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

/// Judges the lines that others cause, for a whole process.
final class LineLimiter: Sendable {
    /// Lines below are written by those only who ask for them.
    static let leastLevel = Logger.Level.notice

    private let clock: any DeviceClock
    private let allowance = Mutex(LineAllowance())

    init(clock: any DeviceClock) { self.clock = clock }

    /// Whether a line is to be written. Of those that are not, the number is told after a while.
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
