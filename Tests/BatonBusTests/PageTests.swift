// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import Foundation
import Synchronization
import Testing

/// Tests how the browser's extension learns of pages that Baton opened in the default browser.
@Suite(.timeLimit(.minutes(5)))
struct PageTests {
    private static let page = OpenedPage(page: "p1", address: "https://example.org/?a=\u{E4}#b")

    @Test("Only a browser's extension that follows pages gets the earlier pages, and then the new ones")
    func followed() async throws {
        try await Ends.with { ends in
            let other = try await DBusConnection.open(address: ends.bus.address)
            let others = try await other.signals(
                matching: DBusMatch(
                    sender: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.offers))
            ends.handler.state.withLock { $0.pages = [Self.page] }
            var pages = try await ends.client.openedPages().makeAsyncIterator()
            #expect(await pages.next() == Self.page)
            let next = OpenedPage(page: "p2", address: "http://example.org/")
            ends.service.sendPageOpened(next, to: ends.client.id)
            #expect(await pages.next() == next)
            ends.service.send(.disappeared(offer: "o1"))
            var told = others.makeAsyncIterator()
            #expect(await told.next()?.member == "Disappeared")
            #expect(ends.handler.calls == ["followPages"])
            other.close()
        }
    }

    @Test("A taken page has all properties of the activity")
    func taken() async throws {
        try await Ends.with { ends in
            let activity = ContinuedActivity(
                continuation: "",
                activity: ActivityState(
                    activityType: "NSUserActivityTypeBrowsingWeb", title: "T", userInfo: ["y": .double(12.5)],
                    webpageURL: URL(string: "https://example.org/")),
                device: "d2", deviceName: "b", transport: "tcp")
            ends.handler.state.withLock { $0.continued = activity }
            let taken = try await ends.client.takePage("p1")
            #expect(taken == activity)
            #expect(ends.handler.calls == ["takePage p1"])
            ends.handler.state.withLock { $0.continued = nil }
            #expect(await code { _ = try await ends.client.takePage("p1") } == .notFound)
        }
    }

    @Test("A sandboxed program hears of no opened page, and cannot take one")
    func sandboxed() async throws {
        try await Ends.with { ends in
            ends.handler.state.withLock { $0.admission = { _ in [] } }
            #expect(await code { _ = try await ends.client.openedPages() } == .notAllowed)
            #expect(await code { _ = try await ends.client.takePage("p1") } == .notAllowed)
            #expect(ends.handler.calls.isEmpty)
        }
    }
}
