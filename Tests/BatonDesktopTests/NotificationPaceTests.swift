// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

/// Tests the limits on new notifications in a minute.
@Suite struct NotificationPaceTests {
    private var pace = NotificationPace()
    private var uptime = Duration.seconds(1_000)

    @Test("A device has at most four new notifications in a minute")
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

    @Test("Devices have separate limits, and the same activity does not count as new")
    mutating func whatIsNew() {
        for number in 1...5 { _ = show("\(number)") }
        #expect(show("other", of: "sofa") == .new(replacing: nil))
        for _ in 0..<10 { #expect(show("other", of: "sofa") == .known) }
        #expect(show("4") == .known)
        // This is another activity of the type under the same offer.
        #expect(show("other", number: 2, of: "sofa") == .new(replacing: activity("other")))
    }

    @Test("A withdrawn offer that comes back counts as new, and a withdrawn offer no longer waits")
    mutating func withdrawn() {
        for _ in 0..<4 {
            #expect(show("1") == .new(replacing: nil))
            pace.withdrawn("1", of: "desk")
        }
        #expect(show("1") == .later)
        pace.withdrawn("1", of: "desk")
        #expect(pace.deadline == nil)
    }

    @Test("A device without offers is forgotten after a quiet minute")
    mutating func forgotten() {
        for device in 0..<1_000 {
            _ = show("1", of: "\(device)")
            pace.continued(from: "\(device)")
            pace.withdrawn("1", of: "\(device)")
        }
        uptime += NotificationPace.interval
        _ = pace.due(at: uptime)
        #expect(pace.count == 0)
    }

    @Test("All devices together have eight new notifications in a minute, and the longest waiting offer is next")
    mutating func eightInAMinuteForAll() {
        for number in 1...8 { #expect(show("1", of: "\(number)") == .new(replacing: nil)) }
        uptime += .seconds(1)
        for number in 9...30 { #expect(show("1.\(number)", of: "\(number)") == .later) }
        // A device's later activity replaces its earlier one among the waiting ones.
        #expect(show("2.10", of: "10") == .later)
        #expect(pace.deadline == .seconds(1_060))
        #expect(pace.due(at: uptime) == [])
        uptime = .seconds(1_060)
        #expect(pace.due(at: uptime) == ["1.9", "2.10"] + (11...16).map { "1.\($0)" })
        // A new device does not overtake the waiting ones.
        #expect(show("new", of: "31") == .later)
        #expect(show("1.9", of: "9") == .new(replacing: nil))
    }

    @Test("Devices that one device took in share its turns, and do not affect other devices' turns")
    mutating func account() {
        for number in 1...126 {
            let verdict = show("1.\(number)", of: "phone \(number)", account: "thief")
            #expect(verdict == (number <= NotificationPace.limit ? .new(replacing: nil) : .later))
        }
        #expect(show("own", of: "sofa") == .new(replacing: nil))
        uptime += NotificationPace.interval
        #expect(pace.due(at: uptime) == (5...8).map { "1.\($0)" })
    }

    @Test("A device from which the user has continued comes first, and no other device displaces it")
    mutating func continuedFrom() {
        pace.continued(from: "sofa")
        for number in 1...126 { _ = show("1", of: "phone \(number)") }
        #expect(show("own", of: "sofa") == .later)
        uptime += NotificationPace.interval
        #expect(pace.due(at: uptime).first == "own")
        #expect(show("own", of: "sofa") == .new(replacing: nil))
        for round in 1...5 {
            uptime += NotificationPace.interval
            for number in 1...126 {
                let verdict = show("\(round)", of: "phone \(number)")
                if case .new(_, let removed) = verdict { #expect(removed != activity("own")) }
            }
        }
        #expect(show("own", of: "sofa") == .known)
        #expect(pace.shownCount == NotificationPace.maximumShown)
        // The device gets a place although all are taken and others wait.
        pace.continued(from: "desk")
        uptime += NotificationPace.interval
        guard case .new(nil, _?) = show("own", of: "desk") else {
            Issue.record("it waits")
            return
        }
    }

    @Test("A new offer replaces the oldest one, which comes back only when there is a place")
    mutating func places() {
        for number in 1...NotificationPace.maximumShown {
            uptime += NotificationPace.interval
            #expect(show("\(number)", of: "\(number)") == .new(replacing: nil))
        }
        uptime += NotificationPace.interval
        #expect(show("new", of: "new") == .new(replacing: nil, removing: activity("1")))
        #expect(pace.deadline == nil)
        #expect(show("1", of: "1") == .later)
        // The next activity of that device is shown as a new notification.
        pace.withdrawn("5", of: "5")
        #expect(pace.deadline != nil)
        #expect(pace.due(at: uptime) == ["1"])
        #expect(show("1", of: "1") == .new(replacing: nil))
        #expect(show("other", of: "2") == .new(replacing: activity("2")))
        #expect(pace.shownCount == NotificationPace.maximumShown)
    }

    @Test("An unwanted offer does not block others")
    mutating func unwanted() {
        for number in 1...9 { _ = show("\(number)", of: "\(number)") }
        pace.isUnwanted("9", of: "9")
        #expect(pace.deadline == nil)
        #expect(show("10", of: "10") == .later)
        uptime += NotificationPace.interval
        #expect(pace.due(at: uptime) == ["10"])
    }

    private func activity(_ offer: String, number: UInt32 = 1) -> NotificationPace.Activity {
        .init(offer: offer, number: number)
    }

    private mutating func show(
        _ offer: String, number: UInt32 = 1, of device: String = "desk", account: String? = nil
    ) -> NotificationPace.Verdict {
        pace.show(activity(offer, number: number), of: device, account: account ?? device, at: uptime)
    }
}
