// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Testing

@testable import BatonDesktop

/// Tests how often notifications of another laptop's offers pop up.
extension DesktopTests {
    @Test("The desktop itself shows a notification later that was replaced or had to wait for its turn")
    func turns() async throws {
        let clock = ManualClock()
        try await withDesktop(clock: clock) { desktop, _, server, _ in
            var first: UInt32?
            for number in 1...NotificationPace.limit + 1 {
                _ = await desktop.offered(offer("offer-\(number)", title: "\(number)"))
                guard number <= NotificationPace.limit else { continue }
                let shown = try #require(await server.nextShown())
                #expect(shown.body == "\(number)" && shown.replaced == first ?? 0)
                first = first ?? shown.id
            }
            // A failure's notification does not replace an offer's.
            await desktop.openForClick("gone", token: nil)
            #expect(await server.nextShown()?.summary == "It could not be continued")
            await clock.waitForMoments { $0 == [NotificationPace.interval] }
            clock.advance(by: NotificationPace.interval)
            #expect(await server.nextShown()?.body == "\(NotificationPace.limit + 1)")
        }
    }

    @Test("Another activity of a device is shown even if the user dismissed the last one")
    func anotherAfterADismissal() async throws {
        try await withDesktop { desktop, _, server, host in
            for number: UInt32 in 1...3 {
                host.activityNumber = number
                _ = await desktop.offered(offer(title: "\(number)"))
                let shown = try #require(await server.nextShown())
                #expect(shown.body == "\(number)")
                try server.dismiss(shown.id)
                try await eventually("it is dismissed") {
                    await desktop.board.entries["offer:offer-1"]?.isDismissed == true
                }
                // The same activity is not shown again, whatever else becomes known about it.
                _ = await desktop.offered(offer(title: "\(number), learnt"))
            }
        }
    }
}
