// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import Diagnosis
import Foundation
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    struct ActivityTests {
        /// Returns a userInfo with exactly this many encoded bytes.
        private static func userInfo(ofSize size: Int) throws -> UserInfo {
            var count = size
            while count > 0 {
                let info: UserInfo = [.string("k"): .data(Data(repeating: 1, count: count))]
                var state = ActivityState(activityType: "t")
                state.userInfo = info
                // The encoder does not report the size of contents that are too large.
                let measured = (try? EncodedActivity(state).userInfoSize) ?? size + 1
                if measured == size { return info }
                count -= max(1, measured - size)
            }
            throw Missing(what: "userInfo of \(size) bytes")
        }

        private static func isWarning(_ event: ClientEvent) -> Bool {
            if case .warning = event { true } else { false }
        }

        @Test("3,072 bytes of userInfo cause no warning, and one more byte causes one")
        func advisedSize() async throws {
            try await World.withDevice { anna in
                try await anna.publish("quiet", userInfo: Self.userInfo(ofSize: 3_072))
                let loud = try await anna.publish("loud", userInfo: Self.userInfo(ofSize: 3_073))
                let (activity, reason) = try await anna.next("a warning") { event -> (String, Reason)? in
                    if case .warning(let activity, Device.app, let reason) = event { (activity, reason) } else { nil }
                }
                #expect(activity == loud)
                #expect(reason == Reason(.contentsSlow, ["size": .count(3_073), "limit": .count(3_072)]))
            }
        }

        /// Returns the next changed activity, its program, and whether it is current now.
        private func told(_ device: Device) async throws -> [String] {
            try await device.next("a change") { event in
                guard case .currentChanged(let activity, let client, let isCurrent) = event else { return nil }
                return [activity, client.rawValue, "\(isCurrent)"]
            }
        }

        @Test("A program learns when another program's activity replaces its own, and when its own is offered again")
        func placeIsTaken() async throws {
            try await World.withDevice { anna in
                let (second, third) = (ClientID(rawValue: ":1.2"), ClientID(rawValue: ":1.3"))
                let one = try await anna.publish("one")
                let two = try await anna.publish("two", client: second)
                #expect(try await told(anna) == [one, ":1.1", "false"])
                // An app gets no event about its own changes.
                let three = try await anna.publish("three", client: second)
                try await anna.service.becomeCurrent(two, client: second)
                let four = try await anna.publish("four", client: third)
                #expect(try await told(anna) == [two, ":1.2", "false"])
                await anna.service.clientLeft(third)
                #expect(try await told(anna) == [two, ":1.2", "true"])
                try await anna.service.resignCurrent(two, client: second)
                #expect(try await told(anna) == [one, ":1.1", "true"])
                try await anna.service.becomeCurrent(three, client: second)
                #expect(try await told(anna) == [one, ":1.1", "false"])
                // The app makes its own activity current again.
                try await anna.service.becomeCurrent(one, client: Device.app)
                let both = [try await told(anna), try await told(anna)]
                #expect(Set(both) == [[three, ":1.2", "false"], [one, ":1.1", "true"]])
                #expect(anna.untaken.isEmpty && four != three)
            }
        }

        @Test(
            "A background activity that becomes current behind another is reported as not offered, and later as offered"
        )
        func backgroundHasNoPlace() async throws {
            try await World.withDevice { anna in
                let player = ClientID(rawValue: ":1.2")
                let document = try await anna.publish("document")
                let music = try await anna.publish("music", isBackground: true, client: player)
                #expect(try await told(anna) == [music, ":1.2", "false"])
                try await anna.service.resignCurrent(document, client: Device.app)
                #expect(try await told(anna) == [music, ":1.2", "true"])
                try await anna.service.becomeCurrent(document, client: Device.app)
                #expect(try await told(anna) == [music, ":1.2", "false"])
                #expect(anna.untaken.isEmpty)
            }
        }

        @Test("64 KB of userInfo are handed over, and publish and update refuse one byte more")
        func maximumSize() async throws {
            try await World.withPair { anna, berta in
                let largest = try Self.userInfo(ofSize: 65_536)
                let activity = try await anna.publish("large", userInfo: largest)
                let continued = try await berta.takeOver("large")
                #expect(continued.activity.userInfo == largest)
                let tooLarge: UserInfo = [.string("k"): .data(Data(repeating: 1, count: 65_536))]
                let published = await #expect(throws: BatonError.self) {
                    try await anna.publish("larger", userInfo: tooLarge)
                }
                #expect(published?.code == .userInfoTooLarge)
                let updated = await #expect(throws: BatonError.self) {
                    try await anna.update(activity) { $0.userInfo = tooLarge }
                }
                #expect(updated?.code == .userInfoTooLarge)
            }
        }

        @Test("A program gets the same error for another program's activities and continuations as for unknown ones")
        func anotherProgram() async throws {
            try await World.withPair { anna, berta in
                let activity = try await anna.publish("org.example.note")
                let other = ClientID(rawValue: ":1.2")
                let service = anna.service
                let attempts: [@Sendable (String) async throws -> Void] = [
                    { try await service.update($0, needsSave: nil, client: other) { $0 } },
                    { try await service.becomeCurrent($0, client: other) },
                    { try await service.resignCurrent($0, client: other) },
                    { try await service.invalidate($0, client: other) },
                ]
                for attempt in attempts {
                    let there = await #expect(throws: BatonError.self) { try await attempt(activity) }
                    let absent = await #expect(throws: BatonError.self) { try await attempt("absent") }
                    #expect(there?.code == .notFound)
                    #expect(
                        there?.message.replacing(activity, with: "") == absent?.message.replacing("absent", with: ""))
                }
                let continued = try await berta.continueOffer(ofType: "org.example.note")
                let accepted = await #expect(throws: BatonError.self) {
                    try await berta.service.accept(continued.continuation, accepted: true, client: other)
                }
                #expect(accepted?.code == .notFound)
                await berta.service.cancel(continued.continuation, client: other)
                try await berta.service.accept(continued.continuation, accepted: true, client: Device.app)
            }
        }

        @Test("A program has at most 64 activities, and at most 256 programs have activities")
        func limits() async throws {
            try await World.withDevice { anna in
                let state = ActivityState(activityType: "t")
                for _ in 0..<64 {
                    _ = try await anna.service.publish(state, team: "", needsSave: false, client: Device.app)
                }
                let one = await #expect(throws: BatonError.self) {
                    try await anna.service.publish(state, team: "", needsSave: false, client: Device.app)
                }
                #expect(one?.code == .limitReached)
                for number in 1..<256 {
                    let client = ClientID(rawValue: ":2.\(number)")
                    _ = try await anna.service.publish(state, team: "", needsSave: false, client: client)
                }
                let program = await #expect(throws: BatonError.self) {
                    try await anna.service.publish(state, team: "", needsSave: false, client: ClientID(rawValue: ":3"))
                }
                #expect(program?.code == .limitReached)
                await anna.service.clientLeft(ClientID(rawValue: ":2.1"))
                _ = try await anna.service.publish(state, team: "", needsSave: false, client: ClientID(rawValue: ":3"))
            }
        }

        @Test("Types, teams, titles and web pages that cannot be published are refused")
        func invalidActivities() async throws {
            try await World.withDevice { anna in
                var titled = ActivityState(activityType: "t")
                titled.title = String(repeating: "a", count: 1_025)
                var page = ActivityState(activityType: "t")
                page.webpageURL = URL(fileURLWithPath: "/etc/passwd")
                let long = String(repeating: "t", count: 256)
                let refused: [(ActivityState, String, String)] = [
                    (ActivityState(activityType: ""), "", "type"), (ActivityState(activityType: long), "", "type"),
                    (ActivityState(activityType: "a\u{0}b"), "", "type"),
                    (ActivityState(activityType: "t"), long, "team"),
                    (ActivityState(activityType: "t"), "a\u{0}", "team"), (titled, "", "title"),
                    (page, "", "webpageURL"),
                ]
                for (state, team, argument) in refused {
                    let error = await #expect(throws: BatonError.self) {
                        try await anna.service.publish(state, team: team, needsSave: false, client: Device.app)
                    }
                    #expect(error?.code == .invalidArgument)
                    let values = error?.reason?.values ?? [:]
                    let told = (values["argument"] ?? values["reason"]).map { "\($0)" } ?? ""
                    #expect(told.contains(argument), "\(error as Any)")
                }
                let activity = try await anna.publish("t")
                let changed = await #expect(throws: BatonError.self) {
                    try await anna.service.update(activity, needsSave: nil, client: Device.app) { _ in
                        ActivityState(activityType: "u")
                    }
                }
                #expect(changed?.code == .invalidArgument)
            }
        }

        @Test("Each program may have 8 unanswered continuations from a device, each for 120 s")
        func continuationLimit() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("org.example.note")
                let offer = try await berta.offer(ofType: "org.example.note")
                func fetch(_ client: Int, account: String? = nil) async throws {
                    _ = try await berta.service.continueOffer(
                        offer.offer, timeout: nil, client: ClientID(rawValue: ":1.\(client)"), account: account)
                }
                for client in 0..<8 { try await fetch(client, account: "org.example.Note") }
                let error = await #expect(throws: BatonError.self) { try await fetch(8, account: "org.example.Note") }
                #expect(error?.code == .limitReached)
                for _ in 0..<8 { try await fetch(8) }
                #expect(await berta.service.counts["continuations"] == 16)
                clock.advance(by: .seconds(121))
                try await berta.holds(0, of: "continuations")
            }
        }
    }
}
