// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Testing

@testable import BlueZTransport

/// Tests how much data counts as traffic.
struct ChannelTrafficTests {
    private let clock = ManualClock(uptime: .seconds(100))

    @Test("4 KiB in a second count as traffic until two seconds after the last of them, and a hello does not count")
    func much() {
        let traffic = ChannelTraffic(clock: clock)
        let begun = Watched(0)
        traffic.onBegin { begun.change { $0 += 1 } }
        traffic.moved(4_095)
        #expect(traffic.end == nil)
        clock.advance(by: .seconds(1))
        traffic.moved(4_095)
        #expect(traffic.end == nil && begun.value == 0)
        traffic.moved(1)
        #expect(traffic.end == .seconds(103) && begun.value == 1)
        clock.advance(by: .milliseconds(1_500))
        traffic.moved(5_000)
        #expect(traffic.end == .milliseconds(104_500) && begun.value == 1)
        clock.advance(by: .seconds(2))
        traffic.moved(5_000)
        #expect(traffic.end == .milliseconds(106_500) && begun.value == 2)
    }
}
