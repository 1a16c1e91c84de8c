// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import BatonTesting
import Foundation
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct BrowserHostProgramTests {
    private static let url = URL(string: "https://example.org/")
    private static let offer = OfferSummary(
        offer: "o1", device: "dd", deviceName: "desk", type: NSUserActivityTypeBrowsingWeb, hasWebpage: true)

    /// Returns the next call that fulfils a condition, and drops the calls before it.
    private func call(
        _ calls: inout AsyncStream<FakeDaemon.Call>.Iterator, where isWanted: (FakeDaemon.Call) -> Bool
    ) async throws -> FakeDaemon.Call {
        while true {
            let call = try await calls.required()
            if isWanted(call) { return call }
        }
    }

    @Test("A page is published without being asked for its position")
    func pageIsPublished() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            #expect(try await messages.next("page").isOffered == true)
            #expect(try await calls.required() == .published("a1", needsSave: false))
            // The activity has no team, whatever the browser's desktop entry says.
            #expect(await daemon.teams["a1"] == "")
            #expect(try await calls.required() == .becameCurrent("a1"))
            let first = ActivityState(
                activityType: NSUserActivityTypeBrowsingWeb, title: "A page", webpageURL: Self.url)
            #expect(await daemon.activities["a1"] == first)
            #expect(try await calls.required() == .updated("a1", first, needsSave: true))
            // Another page changes the same activity.
            try program.say(#"{"type":"page","url":"https://example.org/next"}"#)
            let next = ActivityState(
                activityType: NSUserActivityTypeBrowsingWeb, webpageURL: URL(string: "https://example.org/next"))
            #expect(try await calls.required() == .updated("a1", next, needsSave: true))
            try program.say(#"{"type":"away"}"#)
            #expect(try await calls.required() == .resigned("a1"))
            // The page was not asked for anything.
            while case let message = try await messages.required(), message.isOffered != false {
                #expect(message.type != "save")
            }
        }
    }

    @Test("Each WillSave of the daemon asks the page for its position")
    func willSaveAsksForPlace() async throws {
        let referrers = [("1", 5.0, "https://example.org/from"), ("2", 7.0, "http://localhost/")]
        let answer: @Sendable (BrowserProgram.Message) -> String? = { message in
            guard message.type == "save",
                let (question, y, referrer) = referrers.first(where: { $0.0 == message["id"] })
            else { return nil }
            return
                #"{"type":"saved","id":\#(question),"url":"https://example.org/","place":{"y":\#(y),"fraction":9},"referrer":"\#(referrer)"}"#
        }
        try await BrowserProgram.with(answer: answer) { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            _ = try await call(&calls) { if case .updated(_, _, needsSave: true) = $0 { true } else { false } }
            for (question, y, referrer) in referrers {
                await daemon.askToSave("a1")
                #expect(try await messages.next("save")["id"] == question)
                let state = try await calls.requiredUpdate(needsSave: false)
                #expect(state.userInfo == ["y": .double(y)])
                #expect(state.referrerURL == (question == "1" ? URL(string: referrer) : nil))
                // At the next WillSave the page must be asked again.
                #expect(try await calls.required() == .updated("a1", state, needsSave: true))
            }
        }
    }

    @Test("A page that does not answer, or has changed, is handed over without its position")
    func handedOverWithoutPlace() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            _ = try await call(&calls) { if case .updated(_, _, needsSave: true) = $0 { true } else { false } }
            for answer in ["", #"{"type":"saved","id":2,"url":"https://example.org/other","place":{"y":5}}"#] {
                await daemon.askToSave("a1")
                _ = try await messages.next("save")
                if !answer.isEmpty { try program.say(answer) }
                let state = try await calls.requiredUpdate(needsSave: false)
                #expect(state.userInfo.isEmpty)
                _ = try await calls.required()
            }
        }
    }

    @Test("Many changes of the page become fewer updates")
    func manyChangesArePutTogether() async throws {
        try await BrowserProgram.with { daemon, program, _ in
            for number in 0..<1_000 { try program.say(#"{"type":"page","url":"https://example.org/\#(number)"}"#) }
            var count = 0
            for await call in daemon.calls {
                count += 1
                if case .updated(_, let state, _) = call, state.webpageURL?.path() == "/999" { break }
            }
            #expect(count < 1_000)
        }
    }

    @Test(
        "When the user goes to a page that may not be handed over, the former page is withdrawn and the reason reported"
    )
    func pageNotToBeHandedOver() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            _ = try await call(&calls) { if case .updated(_, _, needsSave: true) = $0 { true } else { false } }
            try program.say(#"{"type":"page","url":"http://localhost:8080/"}"#)
            #expect(try await calls.required() == .resigned("a1"))
            var answer = try await messages.next("page")
            while answer.isOffered == true { answer = try await messages.next("page") }
            #expect((answer.isOffered, answer["reason"]) == (false, "the page is this computer's own"))
        }
    }

    @Test("While Baton is paused or in no circle, no page is reported as on offer, with the reason")
    func pageIsNotOfferedDuringAPause() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            try program.say(BrowserProgram.page)
            while try await messages.next("page").isOffered != true {}
            let hindrances = [
                PanelStatus(state: .paused, reason: "Baton is paused"),
                PanelStatus(state: .noCircle, reason: "this device is in no circle"),
                PanelStatus(state: .noRadio, reason: "Bluetooth is off"),
            ]
            for status in hindrances {
                await daemon.show(status)
                var answer = try await messages.next("page")
                while answer.isOffered == true { answer = try await messages.next("page") }
                #expect((answer.isOffered, answer["reason"]) == (false, status.reason))
                // The next page that the user looks at is not reported as on offer either.
                try program.say(#"{"type":"page","url":"https://example.org/\#(status.state)"}"#)
                answer = try await messages.next("page")
                #expect((answer.isOffered, answer["reason"]) == (false, status.reason))
                // If no page is in front, no reason is given.
                try program.say(#"{"type":"away"}"#)
                while answer["reason"] != nil { answer = try await messages.next("page") }
                #expect(answer.isOffered == false)
                try program.say(BrowserProgram.page)
                await daemon.show(PanelStatus(state: .running))
                while try await messages.next("page").isOffered != true {}
            }
        }
    }

    @Test("Offers that can be continued here are reported until they disappear")
    func offersAreWhatCanGoOnHere() async throws {
        try await BrowserProgram.with { daemon, _, messages in
            #expect(try await messages.next("offers").offers.isEmpty)
            await daemon.appear(OfferSummary(offer: "o0", device: "dd", deviceName: "desk", type: "org.example.t"))
            await daemon.appear(Self.offer)
            var offers: [[String: String]] = []
            while offers.isEmpty { offers = try await messages.next("offers").offers }
            #expect(offers == [["offer": "o1", "deviceName": "desk"]])
            // This offer has a page, and its app is not installed here.
            await daemon.appear(OfferSummary(offer: "o2", device: "dd", deviceName: "desk", hasWebpage: true))
            while offers.count != 2 { offers = try await messages.next("offers").offers }
            await daemon.disappear("o1")
            await daemon.disappear("o2")
            while !offers.isEmpty { offers = try await messages.next("offers").offers }
        }
    }

    private static let note = OfferSummary(
        offer: "o3", device: "dd", deviceName: "desk", type: "org.example.note", title: "Letter",
        application: "org.example.Notes")

    @Test("An app's offer is reported with the app's name and icon")
    func appNameAndIcon() async throws {
        let data = FileManager.default.temporaryDirectory.appending(path: "baton-data-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: data) }
        let apps = data.appending(path: "applications"), icons = data.appending(path: "icons/hicolor/scalable/apps")
        for directory in [apps, icons] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        try Data("[Desktop Entry]\nType=Application\nName=Notes\nExec=true\nIcon=notes".utf8).write(
            to: apps.appending(path: "org.example.Notes.desktop"))
        try Data("<svg/>".utf8).write(to: icons.appending(path: "notes.svg"))
        try await BrowserProgram.with(["XDG_DATA_HOME": data.path]) { daemon, _, messages in
            await daemon.appear(Self.note)
            var message = try await messages.next("offers")
            while message.offers.isEmpty { message = try await messages.next("offers") }
            #expect(
                message.offers == [
                    [
                        "offer": "o3", "deviceName": "desk", "title": "Letter", "application": "org.example.Notes",
                        "applicationName": "Notes",
                    ]
                ])
            #expect(message.icons == ["org.example.Notes": "data:image/svg+xml;base64,PHN2Zy8+"])
        }
    }

    @Test("The daemon opens an app's offer, and the browser does not get the activity")
    func appOfferOpenedByDaemon() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            await daemon.appear(Self.note)
            while try await messages.next("offers").offers.isEmpty {}
            try program.say(#"{"type":"continue","offer":"o3"}"#)
            // The next message shows that no page was opened.
            let message = try await messages.required()
            #expect((message.type, message["offer"]) == ("continued", "o3"))
            #expect(await daemon.opened == ["o3"])
        }
    }

    @Test("An app that fails to continue an activity is reported with its reason")
    func appThatFailsIsTold() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var offer = Self.note
            offer.offer = "failing"
            await daemon.appear(offer)
            while try await messages.next("offers").offers.isEmpty {}
            try program.say(#"{"type":"continue","offer":"failing"}"#)
            #expect(try await messages.next("failed")["reason"] == "it failed")
        }
    }

    /// Continues an offer, and returns the first message to the extension.
    private func proceed(
        _ activity: ActivityState, _ daemon: FakeDaemon, _ program: BrowserProgram,
        _ messages: inout AsyncStream<BrowserProgram.Message>.Iterator
    ) async throws -> BrowserProgram.Message {
        await daemon.appear(Self.offer, activity: activity)
        try program.say(#"{"type":"continue","offer":"o1"}"#)
        while true {
            let message = try await messages.required()
            if ["open", "failed"].contains(message.type) { return message }
        }
    }

    @Test("A continued page is accepted only after the browser has opened it")
    func acceptedOnlyWhenOpen() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            let page = ActivityState(
                activityType: NSUserActivityTypeBrowsingWeb, title: "T", userInfo: ["y": .int(12), "fraction": "much"],
                webpageURL: Self.url)
            let open = try await proceed(page, daemon, program, &messages)
            #expect((open["url"], open["title"], open.place) == ("https://example.org/", "T", ["y": 12]))
            #expect(try await calls.required() == .continued("o1"))
            try program.say(#"{"type":"opened","id":1,"opened":true}"#)
            #expect(try await calls.required() == .accepted("co1", true))
            #expect(try await messages.next("continued")["offer"] == "o1")
            _ = try await proceed(page, daemon, program, &messages)
            #expect(try await calls.required() == .continued("o1"))
            try program.say(#"{"type":"opened","id":2,"opened":false}"#)
            #expect(try await calls.required() == .accepted("co1", false))
            #expect(try await messages.next("failed")["reason"] == "the page did not open; try again")
        }
    }

    private static func page(at address: String) -> ActivityState {
        ActivityState(
            activityType: NSUserActivityTypeBrowsingWeb, userInfo: ["y": .int(12), "x": .double(-1), "text": "Once"],
            webpageURL: URL(string: address))
    }

    @Test("A page that the browser opened is reported, and its position is taken once")
    func placeIsTakenOnce() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            try await daemon.waitForFollower()
            await daemon.open("p1", Self.page(at: "https://example.org/"))
            let coming = try await messages.next("coming")
            #expect((coming["page"], coming["url"], coming["place"]) == ("p1", "https://example.org/", nil))
            // A position that does not exist, or that another browser has taken, gets no answer.
            for page in ["p0", "p1", "p1"] { try program.say(#"{"type":"take","page":"\#(page)"}"#) }
            let place = try await messages.next("place")
            #expect(place["page"] == "p1")
            #expect(place.text.contains(#""y":12"#) && !place.text.contains(#""x""#))
            await daemon.open("p2", Self.page(at: "https://example.org/next"))
            // Offers may be reported meanwhile, but no second position.
            while case let message = try await messages.required(), message["page"] != "p2" {
                #expect(message.type != "place")
            }
        }
    }

    @Test("A page that was opened before the browser ran is reported, and reported again by a restarted daemon")
    func openedBeforeBrowserRan() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.open("p1", Self.page(at: "https://example.org/"))
            let program = try await BrowserProgram(on: bus)
            var messages = program.messages.makeAsyncIterator()
            try program.say(#"{"type":"hello","version":1}"#)
            #expect(try await messages.next("coming")["page"] == "p1")
            // A restarted daemon reports the page again.
            await daemon.leave()
            try await daemon.comeBack()
            #expect(try await messages.next("coming")["page"] == "p1")
            try program.close()
            _ = await program.status
        }
    }

    @Test(
        "Opening an address that may not be handed over is not reported",
        arguments: ["http://localhost/", "http://0x7f.1/", "https://user:word@example.org/", "ftp://example.org/"])
    func addressNotToldOf(_ address: String) async throws {
        try await BrowserProgram.with { daemon, _, messages in
            try await daemon.waitForFollower()
            await daemon.open("p1", Self.page(at: address))
            await daemon.open("p2", Self.page(at: "https://example.org/"))
            let coming = try await messages.next("coming")
            #expect(coming["page"] == "p2")
        }
    }

    @Test(
        "A hostile offer is declined, and nothing opens in the browser",
        arguments: [
            ("http://localhost/", NSUserActivityTypeBrowsingWeb), ("http://0x7f.1/", NSUserActivityTypeBrowsingWeb),
            ("https://user:word@example.org/", NSUserActivityTypeBrowsingWeb), (nil, NSUserActivityTypeBrowsingWeb),
            ("https://example.org/", "org.example.t"),
        ])
    func hostileOfferDeclined(_ url: String?, _ type: String) async throws {
        let activity = ActivityState(activityType: type, webpageURL: url.flatMap(URL.init(string:)))
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            let answer = try await proceed(activity, daemon, program, &messages)
            #expect(answer.type == "failed")
            #expect(try await calls.required() == .continued("o1"))
            #expect(try await calls.required() == .accepted("co1", false))
        }
    }

    @Test("Continuing an offer that is gone reports a failure")
    func offerThatIsGoneIsTold() async throws {
        try await BrowserProgram.with { _, program, messages in
            try program.say(#"{"type":"continue","offer":"o9"}"#)
            #expect(try await messages.next("failed")["reason"] == "no offer o9")
        }
    }

    @Test("Up to 4 offers are continued at a time, and the fifth fails")
    func limitOfContinuations() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            let page = ActivityState(activityType: NSUserActivityTypeBrowsingWeb, webpageURL: Self.url)
            for number in 1...5 {
                var offer = Self.offer
                offer.offer = "o\(number)"
                await daemon.appear(offer, activity: page)
                try program.say(#"{"type":"continue","offer":"o\#(number)"}"#)
            }
            #expect(try await messages.next("failed")["offer"] == "o5")
        }
    }

    @Test("The end of the daemon is reported, and the page is published when the daemon is back")
    func daemonEndsAndComesBack() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            _ = try await call(&calls) { $0 == .becameCurrent("a1") }
            await daemon.leave()
            while try await messages.next("offers")["reason"]?.contains("Baton is not running.") != true {}
            await daemon.forget()
            await daemon.appear(Self.offer)
            try await daemon.comeBack()
            _ = try await call(&calls) { $0 == .becameCurrent("a2") }
            while try await messages.next("offers").offers.isEmpty {}
        }
    }

    @Test("Without a daemon the reason is reported, and the page waits")
    func withoutDaemonPageWaits() async throws {
        try await PrivateBus.with { bus in
            let program = try await BrowserProgram(on: bus)
            var messages = program.messages.makeAsyncIterator()
            try program.say(#"{"type":"hello","version":1}"#)
            try program.say(BrowserProgram.page)
            #expect(try await messages.next("hello")["version"] == "1")
            #expect(try await messages.next("offers")["reason"]?.contains("Baton is not running.") == true)
            try program.close()
            #expect(await program.status == 0)
        }
    }

    @Test(
        "The extension learns when another program's activity replaces the page's, and when the page is offered again")
    func placeTakenByAnother() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            _ = try await call(&calls) { $0 == .becameCurrent("a1") }
            await daemon.changeCurrent("a1", false)
            var answer = try await messages.next("page")
            while answer.isOffered == true { answer = try await messages.next("page") }
            #expect(answer["reason"] == "another program's activity is offered")
            await daemon.changeCurrent("a1", true)
            #expect(try await messages.next("page").isOffered == true)
        }
    }

    @Test("After a message that is too long, the former page is withdrawn")
    func messageTooLong() async throws {
        try await BrowserProgram.with { daemon, program, messages in
            var calls = daemon.calls.makeAsyncIterator()
            try program.say(BrowserProgram.page)
            _ = try await call(&calls) { if case .updated(_, _, needsSave: true) = $0 { true } else { false } }
            try program.say(String(repeating: "x", count: 70_000))
            #expect(try await calls.required() == .resigned("a1"))
            while try await messages.next("page").isOffered != false {}
        }
    }
}
