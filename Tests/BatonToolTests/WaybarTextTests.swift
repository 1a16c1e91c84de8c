// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing
import UserInfoJSON

@testable import baton

@Suite("The status for Waybar") struct WaybarTextTests {
    private static let status = DaemonStatus(
        radio: "bluez", radioCondition: "ready", device: "d1", deviceName: "me", circle: "c")
    private static let offer = OfferSummary(
        offer: "o", device: "d2", deviceName: "desk", title: "<b>Report</b> & \u{202E}more", hasWebpage: true)

    private func text(_ key: String, _ status: DaemonStatus?, _ offers: [OfferSummary] = []) -> String? {
        guard case .object(let members) = WaybarText.node(status, offers: offers),
            case .string(let text)? = members[key]
        else { return nil }
        return text
    }

    @Test("The class in Waybar's JSON names the state of Baton") func states() {
        #expect(text("class", nil) == "stopped")
        #expect(text("class", Self.status) == "idle")
        #expect(text("class", Self.status, [Self.offer]) == "offer")
        var status = Self.status
        status.radioCondition = "off"
        #expect(text("class", status) == "trouble")
        status.circle = nil
        #expect(text("class", status) == "no-circle")
        status.isPaused = true
        #expect(text("class", status, [Self.offer]) == "paused")
    }

    @Test("A title is text without markup and without invisible characters") func titles() {
        #expect(text("text", Self.status, [Self.offer]) == "&lt;b&gt;Report&lt;/b&gt; &amp;  more")
        var offer = Self.offer
        offer.title = String(repeating: "x", count: 5_000)
        #expect(text("text", Self.status, [offer])?.count == 40)
    }

    @Test("A name that is written from right to left moves nothing around it") func isolated() {
        var offer = Self.offer
        (offer.title, offer.deviceName) = ("Report", "דנה\u{2069}")
        #expect(text("tooltip", Self.status, [offer]) == "\"Report\" from \"\u{2068}דנה\u{2069}\"")
    }

    @Test("The tooltip says in whole sentences what there is to continue, or why not") func tooltip() {
        #expect(text("tooltip", nil) == "Baton is not running.")
        #expect(text("tooltip", Self.status) == "There is nothing to continue.")
        var (page, activity) = (Self.offer, Self.offer)
        (page.title, activity.title, activity.application) = (nil, nil, "org.example.Notes")
        #expect(text("tooltip", Self.status, [page]) == "A web page from \"desk\"")
        #expect(text("tooltip", Self.status, [activity]) == "Something from \"desk\"")
        var status = Self.status
        status.circle = nil
        #expect(text("tooltip", status) == "Baton does not know another laptop yet. Add your other laptop.")
    }

    @Test("Hidden offers, and offers that nothing here can continue, are not shown") func hidden() {
        var (hidden, foreign) = (Self.offer, Self.offer)
        hidden.isHidden = true
        foreign.hasWebpage = false
        #expect(text("class", Self.status, [hidden, foreign]) == "idle")
    }
}
