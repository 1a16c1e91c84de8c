// SPDX-License-Identifier: Apache-2.0

/// How strongly an advertiser is heard: the mean of its reports, of which the newer count more.
///
/// Single reports tremble by 10 dB and more, as people move and each of the three advertising
/// channels fades by itself.
struct SignalStrength: Sendable {
    /// After so long without a report those before count no more: a device that was carried
    /// elsewhere meanwhile is where the next one says.
    static let memory = Duration.seconds(5)
    /// What can be reported, in dBm. Source: Core Specification, volume 4, part E, 7.7.65.2.
    static let range = -127...20

    private var mean: Double
    private var heard: Duration

    /// The strength that the first report tells, in dBm.
    init(_ report: Int, at uptime: Duration) {
        mean = Double(report.clamped(to: Self.range))
        heard = uptime
    }

    /// Takes a report in: it counts half, and all before it half.
    mutating func take(_ report: Int, at uptime: Duration) {
        let report = Double(report.clamped(to: Self.range))
        mean = uptime - heard >= Self.memory ? report : (mean + report) / 2
        heard = uptime
    }

    /// In dBm.
    var value: Int { Int(mean.rounded()) }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
