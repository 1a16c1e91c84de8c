// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import BlueZTransport

@Suite("Dropped monitors")
struct DroppedMonitorsTests {
    private var monitors = DroppedMonitors()

    @Test("After five drops in a row no monitor is used for ten minutes, and then one is tried again")
    mutating func fiveInARow() {
        for number in 1...5 {
            #expect(monitors.allowMonitor(at: .seconds(number)))
            let pauses = monitors.dropped(at: .seconds(number))
            #expect(pauses == (number == 5))
        }
        #expect(!monitors.allowMonitor(at: .seconds(604)))
        #expect(monitors.allowMonitor(at: .seconds(605)))
    }

    @Test("A monitor that becomes active resets the number of drops in a row")
    mutating func active() {
        for number in 1...20 {
            let pauses = monitors.dropped(at: .seconds(number))
            #expect(!pauses)
            if number % 4 == 0 { monitors.activated() }
        }
    }
}
