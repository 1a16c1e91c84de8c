// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RoundTripTests {
    /// A userInfo with every type at every place where it is allowed.
    static var everything: UserInfo {
        let scalars: [UserInfoValue] = [
            .null, .bool(true), .bool(false), .int(.min), .int(0), .int(1), .uint(.max), .double(1), .double(-0.1),
            .string(""), .string("ünï\0code 👋"), .data(Data([0, 255])), .data(Data()),
            .date(Date(timeIntervalSinceReferenceDate: 817_000_000.1234567)),
            .date(Date(timeIntervalSinceReferenceDate: -0.3)), .date(.distantPast), .date(.distantFuture),
            .date(Date(timeIntervalSinceReferenceDate: 0x1p60)),
            .uuid(UUID()), .url(URL(fileURLWithPath: "/tmp/a b")),
        ]
        var result: UserInfo = [
            "array": .array(scalars), "empty array": .array([]), "set": .set(Set(scalars)), "empty set": .set([]),
            "dictionary": .dictionary(["a": .int(1), "b": .array([.set([.null])])]), "empty": .dictionary([:]),
            "odd keys": .dictionary(Dictionary(scalars.map { ($0, $0) }) { first, _ in first }),
        ]
        for (index, scalar) in scalars.enumerated() { result[.string("scalar \(index)")] = scalar }
        return result
    }

    static func nested(_ wrap: (UserInfoValue) -> UserInfoValue) -> UserInfoValue {
        (0..<UserInfoValue.maximumDepth).reduce(UserInfoValue.date(Date(timeIntervalSince1970: 0.5))) { value, _ in
            wrap(value)
        }
    }

    static func activity(_ userInfo: UserInfo) -> ActivityState {
        var state = ActivityState(
            activityType: "org.example.edit", title: "Tïtle", userInfo: userInfo,
            webpageURL: URL(string: "https://example.org/a?b=c#d"))
        state.referrerURL = URL(string: "https://example.org/")
        state.expirationDate = Date(timeIntervalSince1970: 1_800_000_000.5)
        state.requiredUserInfoKeys = ["a", "b"]
        state.targetContentIdentifier = "target"
        state.persistentIdentifier = "persistent"
        state.supportsContinuationStreams = true
        return state
    }

    @Test("Every type of userInfo, at every place and depth, arrives intact in both directions")
    func everyUserInfoTypeRoundTrips() async throws {
        var odd = Self.everything
        odd[.int(1)] = "one"
        odd[.array([.null])] = .bool(true)
        let infos: [UserInfo] = [
            [:], Self.everything, odd, ["a\0b": .int(1)],
            ["deep": Self.nested { .array([$0]) }, "deeper": Self.nested { .set([$0, .int(1)]) }],
            ["deepest": Self.nested { .dictionary([.int(1): $0, .int(2): .uuid(UUID())]) }],
        ]
        try await Ends.with { ends in
            for info in infos {
                let state = Self.activity(info)
                let id = try await ends.client.publish(state)
                let published = ends.handler.state.withLock { $0.activities[id] }
                for (key, value) in info { #expect(published?.userInfo[key] == value) }
                #expect(published == state)
                let continued = ContinuedActivity(
                    continuation: "c", activity: state, device: "d2", deviceName: "b", transport: "l2cap")
                ends.handler.state.withLock { $0.continued = continued }
                #expect(try await ends.client.continueOffer("o1") == continued)
            }
        }
    }

    @Test("Activities are published, updated and ended")
    func publishUpdateEnd() async throws {
        try await Ends.with { ends in
            let state = Self.activity(["a": .int(1)])
            let options = PublishOptions(team: "org.example", isBackground: true)
            let id = try await ends.client.publish(state, options: options, needsSave: true)
            ends.handler.state.withLock {
                #expect($0.options == options)
                #expect($0.needsSave == true)
                #expect($0.calls.first?.client == ends.client.id)
            }
            var changed = state
            changed.title = nil
            changed.userInfo = ["b": .bool(true)]
            try await ends.client.update(
                activity: id, properties: ActivityProperties(changed, fields: [.title, .userInfo], needsSave: false))
            ends.handler.state.withLock {
                #expect($0.activities[id] == changed)
                #expect($0.needsSave == false)
            }
            try await ends.client.update(activity: id, properties: ActivityProperties(needsSave: true))
            #expect(ends.handler.state.withLock { $0.activities[id] } == changed)
            let bare = ActivityState(activityType: "")
            try await ends.client.update(activity: id, properties: ActivityProperties(bare))
            #expect(
                ends.handler.state.withLock { $0.activities[id] } == ActivityState(activityType: "org.example.edit"))
            try await ends.client.becomeCurrent(activity: id)
            try await ends.client.resignCurrent(activity: id)
            try await ends.client.invalidate(activity: id)
            #expect(ends.handler.calls.suffix(3) == ["current a1", "resign a1", "invalidate a1"])
        }
    }

    @Test("Status, circle and pairing make the round trip over D-Bus")
    func statusAndCircleRoundTrip() async throws {
        try await Ends.with { ends in
            #expect(try await ends.client.status() == FakeHandler.status)
            #expect(try await ends.client.createCircle(name: "näme").deviceName == "näme")
            let invitation = try await ends.client.invite()
            #expect(invitation.text == "secret")
            #expect(invitation.expires == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(try await ends.client.joinCircle(invitation: "secret") == FakeHandler.circle)
            #expect(try await ends.client.pair() == PairingDigits(pairing: "p1", digits: "012345"))
            _ = try await ends.client.pair(address: "192.0.2.7:4711")
            #expect(
                try await ends.client.pairByCode()
                    == PairingCode(pairing: "p2", code: "c", expires: Date(timeIntervalSince1970: 1_800_000_000)))
            try await ends.client.confirm(pairing: "p1", same: true)
            #expect(try await ends.client.paired("p1") == FakeHandler.circle)
            #expect(
                ends.handler.calls.suffix(5) == [
                    "pair ", "pair 192.0.2.7:4711", "pairByCode", "confirm p1 true", "paired p1",
                ])
            _ = try await ends.client.pair(anew: true)
            #expect(ends.handler.calls.last == "pair  anew")
            let far = DeviceAnswer(
                device: "d2", deviceName: "b", transport: "l2cap", roundTrip: .milliseconds(12),
                connecting: .milliseconds(1_500))
            #expect(try await ends.client.ping("far") == far)
            #expect(try await ends.client.ping("near").connecting == nil)
            #expect(try await ends.client.probe("near") == FakeHandler.probe)
            try await ends.client.rename(to: "desk")
            #expect(try await ends.client.removeDevice("b") == (FakeHandler.status.members[1], ["d1"]))
            let stopped = try await ends.client.stopDevice("b")
            #expect(stopped.device == "d2" && stopped.stoppedUntil == Date(timeIntervalSince1970: 1_800_000_000))
            #expect(try await ends.client.allowDevice("b") == (FakeHandler.status.members[1], true))
            #expect(ends.handler.calls.suffix(2) == ["stop b", "allow b"])
            try await ends.client.rename(to: "desk")
            _ = try await ends.client.removeDevice("b")
            #expect(try await ends.client.leaveCircle() == ["b", "Läptop"])
            #expect(ends.handler.calls.suffix(3) == ["rename desk", "remove b", "leave"])
        }
    }

    @Test("The history makes the round trip over D-Bus")
    func historyRoundTrip() async throws {
        try await Ends.with { ends in
            #expect(try await ends.client.history() == FakeHandler.history)
            try await ends.client.forgetHistory()
            #expect(ends.handler.calls == ["history", "forget history"])
        }
    }

    @Test("A program that follows the status gets the present one, and then each change")
    func followedStatus() async throws {
        try await Ends.with { ends in
            var statuses = try await ends.client.statuses().makeAsyncIterator()
            #expect(await statuses.next() == FakeHandler.status)
            var changed = FakeHandler.status
            changed.deviceName = "other"
            ends.service.send(changed, to: ends.client.id)
            #expect(await statuses.next() == changed)
        }
    }

    @Test("A program that follows the settings gets the present ones, and then each change")
    func followedSettings() async throws {
        try await Ends.with { ends in
            var settings = try await ends.client.settings().makeAsyncIterator()
            #expect(await settings.next() == FakeHandler.settings)
            let changed = UserSettings(values: ["notifications": "on"], rules: [])
            ends.service.send(changed, to: ends.client.id)
            #expect(await settings.next() == changed)
            try await ends.client.set("notifications", to: "off")
            #expect(ends.handler.calls == ["follow settings", "set notifications off"])
        }
    }

    @Test("A program that follows the history, the grants or the apps gets the present ones, and then each change")
    func followedLists() async throws {
        try await Ends.with { ends in
            var history = try await ends.client.historyChanges().makeAsyncIterator()
            #expect(await history.next() == FakeHandler.history)
            ends.service.send([HistoryEntry](), to: ends.client.id)
            #expect(await history.next() == [])
            var grants = try await ends.client.grantChanges().makeAsyncIterator()
            #expect(await grants.next() == FakeHandler.grants)
            ends.service.send(Array(FakeHandler.grants.prefix(1)), to: ends.client.id)
            #expect(await grants.next() == Array(FakeHandler.grants.prefix(1)))
            var apps = try await ends.client.appChanges().makeAsyncIterator()
            let installed = InstalledApps(apps: FakeHandler.apps, adapters: FakeHandler.adapters)
            #expect(await apps.next() == installed)
            ends.service.publish(apps: installed)
            #expect(await apps.next() == installed)
        }
    }

    @Test("A program that follows the files gets the present ones, and then each change")
    func followedFiles() async throws {
        try await Ends.with { ends in
            var files = try await ends.client.userFiles().makeAsyncIterator()
            #expect(await files.next() == FakeHandler.files)
            ends.service.send(UserFiles(), to: ends.client.id)
            #expect(await files.next() == UserFiles())
            try await ends.client.setFolder("Notes", to: "/home/me/Notes")
            try await ends.client.removeFolder("Notes")
            #expect(ends.handler.calls == ["folder Notes=/home/me/Notes", "folder Notes="])
        }
    }

    @Test("A folder's name and path must be one visible line", arguments: ["", "a\nb = /", "a\u{0}", "\u{202E}"])
    func folderOfManyLines(name: String) async throws {
        try await Ends.with { ends in
            await #expect(throws: BatonError.self) { try await ends.client.setFolder(name, to: "/a") }
            await #expect(throws: BatonError.self) { try await ends.client.setFolder("a", to: "/a\nb = /") }
            #expect(ends.handler.calls.isEmpty)
        }
    }

    @Test("An empty value removes a setting, and an empty key is refused")
    func removedSetting() async throws {
        try await Ends.with { ends in
            try await ends.client.set("default-app.a", to: "")
            await #expect(throws: BatonError.self) { try await ends.client.set("", to: "on") }
            #expect(ends.handler.calls == ["set default-app.a "])
        }
    }

    @Test(
        "A key or a value of a setting is refused if it is not one visible line",
        arguments: ["on\nrule = near", "on\u{0}", "\u{202E}", String(repeating: "a", count: 1_025)])
    func settingOfManyLines(text: String) async throws {
        try await Ends.with { ends in
            await #expect(throws: BatonError.self) { try await ends.client.set("notifications", to: text) }
            await #expect(throws: BatonError.self) { try await ends.client.set(text, to: "on") }
            #expect(ends.handler.calls.isEmpty)
        }
    }

    @Test("Rules and the place of a new rule make the round trip over D-Bus")
    func rulesRoundTrip() async throws {
        try await Ends.with { ends in
            #expect(try await ends.client.rules() == ["ask", "near signal=-50"])
            try await ends.client.addRule("ask")
            try await ends.client.addRule("never", at: 1)
            #expect(ends.handler.calls.suffix(2) == ["add ask", "add never at 1"])
        }
    }

    @Test("Offers and continuations make the round trip over D-Bus")
    func offersAndContinuations() async throws {
        try await Ends.with { ends in
            await ends.client.lookForOffers()
            #expect(try await ends.client.offers() == [FakeHandler.full, FakeHandler.bare])
            let continued = ContinuedActivity(
                continuation: "c1", activity: Self.activity([:]), device: "d2", deviceName: "b", transport: "tcp")
            ends.handler.state.withLock { $0.continued = continued }
            #expect(try await ends.client.continueOffer("o1", timeout: .seconds(5)) == continued)
            #expect(ends.handler.state.withLock { $0.timeout } == .seconds(5))
            try await ends.client.accept(continuation: "c1", accepted: true)
            try await ends.client.cancel("c1")
            #expect(ends.handler.calls == ["look", "continue o1", "accept c1 true", "cancel c1"])
        }
    }

    @Test("Texts of other devices with a NUL are shown, not refused")
    func textsWithNULArePassedOn() async throws {
        try await Ends.with { ends in
            let events = try await ends.client.offerEvents()
            var offer = FakeHandler.full
            offer.title = "a\0b"
            ends.service.send(.appeared(offer))
            var iterator = events.makeAsyncIterator()
            offer.title = "a\u{FFFD}b"
            #expect(await iterator.next() == .appeared(offer))
        }
    }
}
