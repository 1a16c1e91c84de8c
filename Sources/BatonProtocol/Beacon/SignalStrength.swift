// SPDX-License-Identifier: Apache-2.0

/// The signal strength of an advertiser: a mean in which newer reports count more.
///
/// Single reports vary by 10 dB and more, because people move, and because each of the three
/// advertising channels fades independently.
struct SignalStrength: Sendable {
    /// The time without reports after which earlier reports no longer count.
    ///
    /// The device may have been carried elsewhere, so the next report replaces the mean.
    static let memory = Duration.seconds(5)
    /// The range of reports, in dBm. Source: Core Specification, volume 4, part E, 7.7.65.2.
    static let range = -127...20

    private var mean: Double
    private var heard: Duration

    /// Creates the strength from the first report, in dBm.
    init(_ report: Int, at uptime: Duration) {
        mean = Double(report.clamped(to: Self.range))
        heard = uptime
    }

    /// Adds a report in dBm, which counts as much as all earlier reports together.
    mutating func take(_ report: Int, at uptime: Duration) {
        let report = Double(report.clamped(to: Self.range))
        mean = uptime - heard >= Self.memory ? report : (mean + report) / 2
        heard = uptime
    }

    /// The mean in dBm.
    var value: Int { Int(mean.rounded()) }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
