// SPDX-License-Identifier: GPL-3.0-or-later

import BatonService

/// How many lines of the log others may cause: each device, and all together. It counts those that
/// are left out.
struct LineAllowance: Sendable {
    /// Lines that one device causes.
    static let ofOne = RateLimit(burst: 10, interval: .seconds(600))
    /// Lines that all of them cause.
    static let ofAll = RateLimit(burst: 60, interval: .seconds(60))
    /// How long lines are counted before their number is written.
    static let countingTime = Duration.seconds(600)
    /// How many devices are named with a number of their own, those with the most lines.
    static let maximumNamed = 4

    private var spent = SpentTurns<String>(ofOne)
    private var spentByAll = SpentTurns<Bool>(ofAll)
    private var leftOut: [String: Int] = [:]

    /// What becomes of a line.
    enum Verdict {
        case isWritten
        /// It is left out.
        ///
        /// - Parameter isFirst: Whether it is the first since ``takeReport()``.
        case isLeftOut(isFirst: Bool)
    }

    /// Somebody causes a line.
    mutating func judge(_ cause: String, at uptime: Duration) -> Verdict {
        if spent.take(cause, at: uptime), spentByAll.take(true, at: uptime) { return .isWritten }
        defer { leftOut[cause, default: 0] += 1 }
        return .isLeftOut(isFirst: leftOut.isEmpty)
    }

    /// How many lines were left out, in words; the count begins anew.
    mutating func takeReport() -> String {
        defer { leftOut = [:] }
        let most = leftOut.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.maximumNamed)
        let total = leftOut.values.reduce(0, +)
        let named = most.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        let others = leftOut.count > most.count ? ", the others of \(leftOut.count - most.count) more" : ""
        return "left out \(total) lines like those above, which others cause: \(named)\(others)"
    }
}
