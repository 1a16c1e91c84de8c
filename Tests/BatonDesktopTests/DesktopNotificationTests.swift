// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Testing

@testable import BatonDesktop

/// How often another laptop's offers pop up.
extension DesktopTests {
    @Test("75 offers of a device in 15 s are four new notifications in one place, and the last when the minute is over")
    func floodOfOffers() async throws {
        let clock = ManualClock()
        try await withDesktop(clock: clock) { desktop, _, server, _ in
            var first: UInt32?
            for number in 1...75 {
                _ = await desktop.offered(offer("offer-\(number)", title: "\(number)"))
                await desktop.withdrawn("offer-\(number - 1)")
                if number <= NotificationPace.limit {
                    let shown = try #require(await server.nextShown())
                    #expect(shown.body == "\(number)" && shown.replaced == first ?? 0)
                    first = first ?? shown.id
                }
                clock.advance(by: .milliseconds(200))
            }
            // A failure does not count.
            await desktop.openForClick("gone", token: nil)
            #expect(await server.nextShown()?.summary == "Baton could not continue")
            await clock.waitForSleepers()
            clock.advance(by: NotificationPace.interval - clock.uptime)
            #expect(await server.nextShown()?.body == "75")
        }
    }

    @Test("However many devices offer, warnings have their place, and trusted laptops a turn in a minute")
    func manyDevices() async throws {
        let clock = ManualClock()
        try await withDesktop(clock: clock) { desktop, world, server, host in
            let app = try await world.runningApp(FakeApp(journal: world.journal))
            defer { withExtendedLifetime(app) {} }
            // The user has continued from this one.
            _ = await desktop.offered(offer("desk-1", title: "mine"))
            try server.choose("default", of: try #require(await server.nextShown()).id)
            try await host.waitForDone("desk-1")
            await desktop.withdrawn("desk-1")
            for round in 1...3 {
                for number in 1...126 {
                    var phone = offer("phone-\(number)-\(round)", title: "phone")
                    phone.device = "phone-\(number)"
                    _ = await desktop.offered(phone)
                    await desktop.withdrawn("phone-\(number)-\(round - 1)")
                }
                clock.advance(by: NotificationPace.interval)
            }
            await desktop.fetchesInVain(of: "0a1b2c3d", named: "desk", count: 10)
            #expect(await server.nextShown { $0.summary.hasPrefix("desk keeps asking") } != nil)
            _ = await desktop.offered(offer("desk-2", title: "mine again"))
            clock.advance(by: NotificationPace.interval)
            #expect(await server.nextShown { $0.body == "mine again" } != nil)
        }
    }

    @Test("Another activity of a device is shown although the last one was dismissed")
    func anotherAfterADismissal() async throws {
        try await withDesktop { desktop, _, server, host in
            for number: UInt32 in 1...3 {
                host.activityNumber = number
                _ = await desktop.offered(offer(title: "\(number)"))
                let shown = try #require(await server.nextShown())
                #expect(shown.body == "\(number)")
                try server.dismiss(shown.id)
                try await eventually("it is dismissed") {
                    await desktop.environment.board.entries["offer:offer-1"]?.isDismissed == true
                }
                // The same one, whatever is learnt of it, stays away.
                _ = await desktop.offered(offer(title: "\(number), learnt"))
            }
        }
    }
}
