// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

/// How many of a device's notifications are new in a minute.
@Suite struct NotificationPaceTests {
    private var pace = NotificationPace()
    private var uptime = Duration.seconds(1_000)

    @Test("Four new ones in a minute for a device; what is left out may come when the first is a minute old")
    mutating func fourInAMinute() {
        #expect(show("1") == .new(replacing: nil))
        uptime += .seconds(10)
        for number in 2...4 { #expect(show("\(number)") == .new(replacing: activity("\(number - 1)"))) }
        #expect(pace.deadline == nil)
        for number in 5...75 { #expect(show("\(number)") == .later) }
        #expect(pace.deadline == .seconds(1_060))
        #expect(pace.due(at: uptime) == [])
        uptime = .seconds(1_060)
        #expect(pace.due(at: uptime) == ["75"])
        #expect(show("75") == .new(replacing: activity("4")))
        #expect(pace.deadline == nil)
        #expect(show("76") == .later)
    }

    @Test("Devices have limits of their own, and what is the same activity is not new")
    mutating func whatIsNew() {
        for number in 1...5 { _ = show("\(number)") }
        #expect(show("other", of: "sofa") == .new(replacing: nil))
        for _ in 0..<10 { #expect(show("other", of: "sofa") == .known) }
        #expect(show("4") == .known)
        // Another activity of the type under the same offer.
        #expect(show("other", number: 2, of: "sofa") == .new(replacing: activity("other")))
    }

    @Test("What is withdrawn and comes again is new; what was left out and is withdrawn is not waited for")
    mutating func withdrawn() {
        for _ in 0..<4 {
            #expect(show("1") == .new(replacing: nil))
            pace.withdrawn("1", of: "desk")
        }
        #expect(show("1") == .later)
        pace.withdrawn("1", of: "desk")
        #expect(pace.deadline == nil)
    }

    @Test("Nothing is remembered of a device that offers nothing and was quiet for a minute")
    mutating func forgotten() {
        for device in 0..<1_000 {
            _ = show("1", of: "\(device)")
            pace.withdrawn("1", of: "\(device)")
        }
        uptime += NotificationPace.interval
        _ = pace.due(at: uptime)
        #expect(pace.count == 0)
    }

    private func activity(_ offer: String, number: UInt32 = 1) -> NotificationPace.Activity {
        .init(offer: offer, number: number)
    }

    private mutating func show(
        _ offer: String, number: UInt32 = 1, of device: String = "desk"
    ) -> NotificationPace.Verdict {
        pace.show(activity(offer, number: number), of: device, at: uptime)
    }
}
