// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Foundation
import Testing

@testable import browser_host

@Suite struct MessageTests {
    private func text(_ message: Message) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }

    @Test("Messages are written without missing values")
    func withoutWhatIsMissing() throws {
        #expect(try text(.hello) == #"{"type":"hello","version":1}"#)
        #expect(try text(.page(isOffered: true)) == #"{"offered":true,"type":"page"}"#)
        #expect(try text(.save(7)) == #"{"id":7,"type":"save"}"#)
        #expect(
            try text(.failed("o", because: .init(reason: "no"))) == #"{"offer":"o","reason":"no","type":"failed"}"#)
        #expect(
            try text(.page(isOffered: false, because: .init(WebAddress.Refusal.notWeb)))
                == #"{"code":"not-web","offered":false,"reason":"only pages of http and https are handed over","type":"page"}"#
        )
        var place = PagePlace()
        place.y = 12
        let page = Page(try WebAddress("https://example.org/"), title: "T")
        #expect(
            try text(.open(1, page, place: place))
                == #"{"id":1,"place":{"y":12},"title":"T","type":"open","url":"https://example.org/"}"#)
    }

    @Test("The message about a coming page has the page's address, and another message has the position in the page")
    func pageIsComing() throws {
        #expect(
            try text(.coming("p1", try WebAddress("https://example.org/")))
                == #"{"page":"p1","type":"coming","url":"https://example.org/"}"#)
        var place = PagePlace()
        place.y = 12
        #expect(try text(.place("p1", place)) == #"{"page":"p1","place":{"y":12},"type":"place"}"#)
    }

    @Test("Texts of other laptops become one line")
    func whatOthersWroteIsOneLine() throws {
        let offer = OfferSummary(offer: "o", device: "d", deviceName: "de\u{1B}sk", title: "a\u{202E}\nb")
        #expect(
            try text(.offers([offer], reason: "first\nsecond"))
                == #"{"offers":[{"deviceName":"de sk","offer":"o","title":"a  b"}],"reason":"first second","type":"offers"}"#
        )
    }

    @Test("A name in a sentence of the daemon keeps its isolates")
    func namesStayIsolated() throws {
        #expect(
            try text(.offers([], reason: "\u{2068}דנה\u{2069} has removed it\u{202E}."))
                == "{\"offers\":[],\"reason\":\"\u{2068}דנה\u{2069} has removed it .\",\"type\":\"offers\"}")
    }

    @Test("Offers of apps have a name and an icon, and offers of pages have neither")
    func nameAndIconOfAnApp() throws {
        let page = OfferSummary(
            offer: "o1", device: "d", deviceName: "desk", type: PageActivity.type, application: "org.example.Notes")
        let note = OfferSummary(offer: "o2", device: "d", deviceName: "desk", application: "org.example.Notes")
        let apps = ["org.example.Notes": AppIcons.App(name: "No\ntes", icon: "data:image/png;base64,AA==")]
        #expect(
            try text(.offers([page, note], apps: apps, reason: nil))
                == #"{"icons":{"org.example.Notes":"data:image/png;base64,AA=="},"offers":[{"deviceName":"desk","offer":"o1"},"#
                + #"{"application":"org.example.Notes","applicationName":"No tes","deviceName":"desk","offer":"o2"}],"type":"offers"}"#
        )
        // The app has been removed meanwhile.
        #expect(
            try text(.offers([note], reason: nil))
                == #"{"offers":[{"deviceName":"desk","offer":"o2"}],"type":"offers"}"#)
    }

    @Test("Icons beyond 256 KiB are left out")
    func iconsBeyond256KiBAreLeftOut() throws {
        let offers = (0..<64).map {
            OfferSummary(offer: "\($0)", device: "d", deviceName: "desk", application: "a\($0)")
        }
        let icon = try #require(AppIcons.url(of: Array("<svg>".utf8) + Array(repeating: 32, count: 30_000)))
        let apps = offers.reduce(into: [:]) { $0["a\($1.offer)"] = AppIcons.App(name: "A", icon: icon) }
        let message = Message.offers(offers, apps: apps, reason: nil)
        #expect(message.icons?.count == AppIcons.maximumTotal / icon.utf8.count)
        #expect(message.offers?.count == 64)
        #expect(try message.framed.count < Message.maximumLength / 2)
    }

    @Test(
        "A picture's contents decide whether it is PNG or SVG",
        arguments: [
            ("\u{89}PNG\r\n\u{1A}\nrest", "data:image/png;base64,iVBORw0KGgpyZXN0"),
            ("<?xml version='1.0'?><svg/>", "data:image/svg+xml;base64,PD94bWwgdmVyc2lvbj0nMS4wJz8+PHN2Zy8+"),
            ("GIF89a", nil), ("<html>", nil), ("/* XPM */", nil), ("", nil), ("\u{FF}\u{FE}<svg", nil),
        ] as [(String, String?)])
    func pictureByWhatItHolds(_ picture: String, _ url: String?) {
        // Each character is one byte.
        #expect(AppIcons.url(of: picture.unicodeScalars.map { UInt8($0.value) }) == url)
    }

    @Test("A message with 64 offers stays far below the browser's limit of 1 MiB")
    func offersToTheLimit() throws {
        let offers = (0..<100).map {
            OfferSummary(
                offer: "\($0)", device: "d", deviceName: String(repeating: "\"", count: 2_000),
                title: String(repeating: "\\", count: 5_000))
        }
        let message = Message.offers(offers, reason: nil)
        #expect(message.offers?.count == 64)
        #expect(try message.framed.count < Message.maximumLength / 2)
    }

    @Test(
        "Only Baton's own extension, in Firefox or in Chromium, is accepted as a caller",
        arguments: [
            (["/usr/lib/mozilla/native-messaging-hosts/a.json", "browser@batonproject.org"], Caller.firefox),
            (["chrome-extension://jkhbdoennkkodmmdieibkblhaegealbn/"], .chromium), ([], nil), (["--help"], nil),
            (["chrome-extension://jkhbdoennkkodmmdieibkblhaegealbm/"], nil), (["browser@batonproject.org"], nil),
            (["a.json", "browser@batonproject.org"], nil), (["/a.json", "other@batonproject.org"], nil),
            (["/a.json", "browser@batonproject.org", "more"], nil),
            (["chrome-extension://jkhbdoennkkodmmdieibkblhaegealbn/", "more"], nil),
        ] as [([String], Caller?)])
    func callerIsBatonsOwnExtension(_ arguments: [String], _ caller: Caller?) {
        #expect(Caller(arguments: arguments) == caller)
    }

    @Test("The extension's time limits are shorter than the daemon's")
    func extensionHasLessTime() {
        #expect(Host.savingLimit < .seconds(5))
        #expect(Host.openingLimit < .seconds(120))
    }

    @Test("A question gets the first answer, or none if the time limit has passed")
    func answeredOnce() async {
        let questions = Questions()
        let answer = await questions.ask(within: .seconds(60)) { id in
            questions.answer(id + 1, .away)
            questions.answer(id, .opened(id: id, isOpen: true))
            questions.answer(id, .away)
        }
        #expect(answer == .opened(id: 1, isOpen: true))
        #expect(await questions.ask(within: .milliseconds(1)) { _ in } == nil)
        #expect(questions.count == 0)
    }
}
