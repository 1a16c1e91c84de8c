// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DBus
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop
import Wording

/// Tests the state that a panel shows while offers come and go and the user decides.
extension DesktopTests {
    @Test("The panel shows the offer that the user can continue here")
    func panelShowsBestOffer() async throws {
        try await withDesktop { desktop, _, _, _ in
            var told = desktop.panels.makeAsyncIterator()
            await desktop.serviceChanged(to: .running, because: nil)
            // The panel must never get this offer, which no app here continues.
            _ = await desktop.offered(offer(type: "org.example.other"))
            #expect(await told.next() == PanelStatus(state: .running))
            _ = await desktop.offered(offer(title: "Shopping"))
            let shown = try #require(await told.next()?.bestOffer)
            #expect(shown.application == HandoverWorld.identifier && shown.title == "Shopping" && shown.signal == nil)
            // The title of the previous activity does not apply to another activity of the type.
            _ = await desktop.offered(offer(title: nil))
            let unnamed = try #require(await told.next()?.bestOffer)
            #expect(unnamed.title == nil)
            await desktop.withdrawn("offer-1")
            #expect(await told.next() == PanelStatus(state: .running))
            _ = await desktop.offered(offer(type: nil, hasWebpage: true))
            #expect(await told.next()?.bestOffer?.offer == "offer-1")
        }
    }

    @Test("The panel shows no offer that a rule hides or that is being continued")
    func panelHidesOffers() async throws {
        try await withDesktop("rule = never device=desk") { desktop, world, _, host in
            var told = desktop.panels.makeAsyncIterator()
            _ = await desktop.offered(offer())
            await desktop.serviceChanged(to: .running, because: nil)
            #expect(await told.next() == PanelStatus(state: .running))
            try await desktop.removeRule(1)
            #expect(await told.next()?.bestOffer?.offer == "offer-1")
            try await world.runApp()
            host.holdsFetches = true
            let opening = Task { try await desktop.open("offer-1", options: OpenOptions()) }
            #expect(await told.next() == PanelStatus(state: .running))
            await world.journal.wait(for: "will org.example.note from desk")
            await desktop.openings.cancel("offer-1")
            await #expect(throws: BatonError.self) { try await opening.value }
            #expect(await told.next()?.bestOffer?.offer == "offer-1")
        }
    }

    @Test("The panel shows a pause, unless there is nothing to pause")
    func panelShowsPause() async throws {
        try await withDesktop { desktop, _, _, _ in
            var told = desktop.panels.makeAsyncIterator()
            await desktop.serviceChanged(to: .noCircle, because: Finding(.noCircle))
            await desktop.setPause(Pause())
            #expect(await told.next() == PanelStatus(state: .noCircle, reason: Finding(.noCircle).text(on: .window)))
            _ = await desktop.offered(offer())
            await desktop.serviceChanged(to: .noRadio, because: Finding(.adapterOff))
            let until = Date(timeIntervalSinceNow: 3_600)
            await desktop.setPause(Pause(until: until))
            let paused = try #require(await told.next())
            #expect(paused.state == .paused && paused.pausedUntil == until && paused.bestOffer == nil)
            #expect(paused.reason == "Baton is paused.")
            await desktop.setPause(nil)
            let resumed = try #require(await told.next())
            #expect(resumed.state == .noRadio && resumed.reason == Finding(.adapterOff).text(on: .window))
        }
    }

    @Test("The panel learns that the withheld items have changed, but not their names")
    func panelIsToldOfWhatIsWithheld() async throws {
        let adapter = "org.example.Adapter.Music"
        let apps = [adapter: "Type=Application\nName=Music\nExec=true\nX-Baton-Adapter=org.example.Player;"]
        try await withDesktop(apps: apps) { desktop, world, _, _ in
            var told = desktop.panels.makeAsyncIterator()
            await desktop.serviceChanged(to: .running, because: nil)
            #expect(await told.next() == PanelStatus(state: .running))
            let program = try await DBusConnection.open(address: world.bus)
            let client = ClientID(rawValue: program.uniqueName)
            let items = ["one.pdf", "two.pdf"].compactMap { WithheldItem(name: $0, reason: "it is temporary") }
            let stranger = await #expect(throws: BatonError.self) { try await desktop.withhold(items[0], by: client) }
            #expect(stranger?.code == .notAllowed)
            _ = try await program.requestName(adapter)
            for (number, item) in items.enumerated() {
                try await desktop.withhold(item, by: client)
                // The same item again is not published.
                try await desktop.withhold(item, by: client)
                #expect(await desktop.withheld == [item])
                #expect(await told.next() == PanelStatus(state: .running, withheldNumber: UInt32(number) + 1))
            }
            await desktop.clientLeft(ClientID(rawValue: ":1.9999"))
            #expect(await desktop.withheld == [items[1]])
            try await desktop.withhold(nil, by: client)
            #expect(await desktop.withheld.isEmpty)
            #expect(await told.next()?.withheldNumber == 3)
            try await desktop.withhold(items[0], by: client)
            #expect(await told.next()?.withheldNumber == 4)
            await desktop.clientLeft(client)
            #expect(await desktop.withheld.isEmpty)
            #expect(await told.next()?.withheldNumber == 5)
            #expect(await desktop.counts["withheld"] == 0)
            program.close()
        }
    }

    @Test("The panel gets only the newest state, and no state twice in a row")
    func panelIsToldNewest() async throws {
        try await withDesktop { desktop, _, _, _ in
            await desktop.serviceChanged(to: .running, because: nil)
            for signal in -90 ... -40 { _ = await desktop.offered(offer(signal: signal)) }
            await desktop.withdrawn("offer-1")
            _ = await desktop.offered(offer(title: "Shopping"))
            var told = desktop.panels.makeAsyncIterator()
            #expect(await told.next()?.bestOffer?.title == "Shopping")
            // If the same state were published again, the panel would get it before this one.
            await desktop.serviceChanged(to: .running, because: nil)
            await desktop.serviceChanged(to: .noRadio, because: Finding(.adapterOff))
            #expect(await told.next()?.state == .noRadio)
        }
    }
}
