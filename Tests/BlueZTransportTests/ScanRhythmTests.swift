// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import Testing

@testable import BlueZTransport

/// Tests when an adapter listens.
struct ScanRhythmTests {
    /// Returns the seconds in which the adapter listens, as ranges, counted from second 100.
    private func seconds(of rhythm: ScanRhythm, _ count: Int = 60) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for second in 0..<count where rhythm.isOn(at: .seconds(100 + second)) {
            if let last = ranges.last, last.upperBound == second {
                ranges[ranges.count - 1] = last.lowerBound..<second + 1
            } else {
                ranges.append(second..<second + 1)
            }
        }
        return ranges
    }

    @Test(
        "In the modes always and never, an adapter does not change between listening and not listening",
        arguments: [true, false])
    func alwaysAndNever(hasMonitor: Bool) {
        var rhythm = ScanRhythm(hasMonitor: hasMonitor, at: .seconds(100))
        #expect(seconds(of: rhythm) == [0..<60] && rhythm.nextChange(after: .seconds(100)) == nil)
        rhythm.want(.never, at: .seconds(100))
        #expect(seconds(of: rhythm) == [] && rhythm.nextChange(after: .seconds(100)) == nil)
    }

    @Test("With the mode usually, an adapter listens always with a monitor, and for 4 s of each 12 s with discovery")
    func usually() {
        var monitor = ScanRhythm(hasMonitor: true, at: .zero)
        monitor.want(.usually, at: .seconds(100))
        #expect(seconds(of: monitor) == [0..<60])
        var discovery = ScanRhythm(hasMonitor: false, at: .zero)
        discovery.want(.usually, at: .seconds(100))
        #expect(seconds(of: discovery, 36) == [0..<4, 12..<16, 24..<28])
        #expect(discovery.nextChange(after: .seconds(100)) == .seconds(104))
        #expect(discovery.nextChange(after: .seconds(104)) == .seconds(112))
    }

    @Test("With the mode sometimes, an adapter listens for a third of the usual time")
    func sometimes() {
        var monitor = ScanRhythm(hasMonitor: true, at: .zero)
        monitor.want(.sometimes, at: .seconds(100))
        monitor.want(.sometimes, at: .seconds(110))
        #expect(seconds(of: monitor, 120) == [0..<20, 60..<80])
        var discovery = ScanRhythm(hasMonitor: false, at: .zero)
        discovery.want(.sometimes, at: .seconds(100))
        discovery.want(.sometimes, at: .seconds(110))
        #expect(seconds(of: discovery, 72) == [0..<4, 36..<40])
    }

    @Test("During traffic an adapter listens briefly at the end of each interval, and then as it did before")
    func besideTraffic() {
        var rhythm = ScanRhythm(hasMonitor: true, at: .zero)
        rhythm.carry(until: .seconds(102), at: .seconds(100))
        #expect(!rhythm.isOn(at: .seconds(100)) && rhythm.nextChange(after: .seconds(100)) == .seconds(102))
        rhythm.carry(until: .seconds(160), at: .seconds(102))
        #expect(seconds(of: rhythm) == [28..<30, 58..<60])
        #expect(rhythm.nextChange(after: .seconds(102)) == .seconds(128))
        rhythm.carry(until: .seconds(160), at: .seconds(160))
        #expect(rhythm.isOn(at: .seconds(160)) && rhythm.nextChange(after: .seconds(160)) == nil)
    }

    @Test("Traffic does not make a radio listen if it must not")
    func trafficWhileResting() {
        var rhythm = ScanRhythm(hasMonitor: true, at: .zero)
        rhythm.want(.never, at: .seconds(100))
        rhythm.carry(until: .seconds(200), at: .seconds(100))
        #expect(seconds(of: rhythm) == [] && rhythm.nextChange(after: .seconds(100)) == nil)
    }
}
