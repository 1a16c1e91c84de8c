// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonDesktop
import DesktopEntries
import Testing

/// Tests what notifications show (requirements 86, 87, 105).
@Suite struct NotificationStyleTests {
    private let offer = OfferSummary(
        offer: "o", device: "0a1b2c3d", deviceName: "desk", type: "org.example.note", title: "Diary", hasWebpage: true)

    private func app() throws -> DesktopEntry {
        try #require(
            DesktopEntry(
                identifier: "org.example.Notes", text: "[Desktop Entry]\nType=Application\nName=Notes\nIcon=notes"))
    }

    @Test("An offer's notification names the app and the device")
    func appAndDeviceAreNamed() throws {
        let shown = NotificationStyle().notification(of: offer, app: try app())
        #expect(shown?.summary == "Notes from \"desk\"")
        #expect(shown?.body == "Diary")
        #expect(shown?.application == "org.example.Notes")
    }

    @Test("A locked screen shows only the app's name, unless the user configured otherwise")
    func onLockedScreen() throws {
        let app = try app()
        func locked(_ choice: NotificationStyle.OnLockScreen) -> Notification? {
            NotificationStyle(onLockScreen: choice, isLocked: true).notification(of: offer, app: app)
        }
        #expect(locked(.app)?.summary == "Notes")
        #expect(locked(.app)?.body == "")
        #expect(locked(.full)?.summary == "Notes from \"desk\"")
        #expect(locked(.hide) == nil)
    }

    @Test("A page's notification says that the page opens at its top, unless a browser can find the place")
    func pageAtItsTop() throws {
        let says = "The page opens at its top until you agree to Baton's extension in the browser."
        let page = OfferSummary(
            offer: "o", device: "0a1b2c3d", deviceName: "desk", type: "NSUserActivityTypeBrowsingWeb", hasWebpage: true)
        func body(_ offer: OfferSummary, app: DesktopEntry? = nil, isLocked: Bool = false, findsPlace: Bool) -> String?
        {
            NotificationStyle(isLocked: isLocked).notification(of: offer, app: app, findsPlace: findsPlace)?.body
        }
        #expect(body(page, findsPlace: false) == "Continue it in your browser.\n\(says)")
        #expect(body(page, findsPlace: true) == "Continue it in your browser.")
        // Other activities have no place in a page, and an app finds the place by itself.
        #expect(body(offer, findsPlace: false) == "Diary")
        #expect(body(page, app: try app(), findsPlace: false) == "")
        #expect(body(page, isLocked: true, findsPlace: false) == "")
    }

    @Test("An offer that cannot be continued is not shown")
    func notContinuable() {
        var plain = offer
        plain.hasWebpage = false
        #expect(NotificationStyle().notification(of: plain, app: nil) == nil)
        #expect(
            NotificationStyle().notification(of: offer, app: nil)?.icon
                == "org.batonproject.Baton.WebPage")
    }
}
