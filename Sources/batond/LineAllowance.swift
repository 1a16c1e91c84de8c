// SPDX-License-Identifier: GPL-3.0-or-later

import BatonProtocol
import BatonService

/// Limits the log lines that others cause, for each device and for all together, and counts the
/// dropped lines.
struct LineAllowance: Sendable {
    /// The limit for lines that one device causes.
    static let ofOne = RateLimit(burst: 10, interval: .seconds(600))
    /// The limit for lines that all devices cause together.
    static let ofAll = RateLimit(burst: 60, interval: .seconds(60))
    /// The time for which dropped lines are counted before their number is logged.
    static let countingTime = Duration.seconds(600)
    /// The number of devices that a report names, those with the most dropped lines.
    static let maximumNamed = 4

    private var spent = SpentTurns<String>(ofOne)
    private var spentByAll = LimitUse(ofAll)
    private var leftOut: [String: Int] = [:]

    /// The decision about a line.
    enum Verdict {
        case isWritten
        /// The line is dropped.
        ///
        /// - Parameter isFirst: Whether this is the first line dropped since ``takeReport()``.
        case isLeftOut(isFirst: Bool)
    }

    /// Decides about a line that `cause` has caused.
    mutating func judge(_ cause: String, at uptime: Duration) -> Verdict {
        if spent.take(cause, at: uptime), spentByAll.take(at: uptime) { return .isWritten }
        defer { leftOut[cause, default: 0] += 1 }
        return .isLeftOut(isFirst: leftOut.isEmpty)
    }

    /// Returns the report about the dropped lines, and resets the counts.
    mutating func takeReport() -> String {
        defer { leftOut = [:] }
        let most = leftOut.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.maximumNamed)
        let total = leftOut.values.reduce(0, +)
        let named = most.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        let others = leftOut.count > most.count ? ", the others of \(leftOut.count - most.count) more" : ""
        return "left out \(total) lines like those above, which others cause: \(named)\(others)"
    }
}
