// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonService
import Foundation
import Testing

extension ServiceTests.HandoverLane {
    struct HandoverTests {
        private static let everything: UserInfo = [
            .string("array"): .array([.string("a"), .null, .array([])]),
            .string("data"): .data(Data([0, 255, 1])),
            .string("date"): .date(Date(timeIntervalSinceReferenceDate: 1.5)),
            .string("dictionary"): .dictionary([.int(1): .string("ü"), .string(""): .null]),
            .string("null"): .null,
            .string("boolean"): .bool(true),
            .string("integer"): .int(.min),
            .string("unsigned"): .uint(.max),
            .string("real"): .double(-0.5),
            .string("set"): .set([.string("x"), .int(1)]),
            .string("string"): .string("naïve 👩‍👩‍👧"),
            .string("uuid"): .uuid(UUID()),
            .string("url"): .url(URL(fileURLWithPath: "/tmp/a b")),
        ]

        @Test("A published activity is first offered without a type, and one dial fetches its type")
        func offerAndType() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("org.example.note")
                let unknown = try await berta.news("an offer") { event -> OfferSummary? in
                    if case .offerAppeared(let offer) = event { offer } else { nil }
                }
                // A slow reader may see the offer only when its type is already known.
                #expect(unknown.type == nil || unknown.type == "org.example.note")
                #expect(unknown.deviceName == "anna")
                #expect(unknown.signal == -50)
                let known = try await berta.offer(ofType: "org.example.note")
                #expect(known.offer == unknown.offer)
            }
        }

        @Test(
            "A continuation carries every kind of userInfo value and the page, and the publisher learns its acceptance"
        )
        func everyType() async throws {
            try await World.withPair { anna, berta in
                let page = try #require(URL(string: "https://example.org/a%20b?c=d#e"))
                let activity = try await anna.publish(
                    "org.example.note", title: "A note", userInfo: Self.everything, webpage: page)
                let continued = try await berta.continueOffer(ofType: "org.example.note")
                #expect(continued.activity.userInfo == Self.everything)
                #expect((continued.activity.title, continued.activity.webpageURL) == ("A note", page))
                #expect(continued.activity.activityType == "org.example.note")
                #expect(continued.deviceName == "anna" && continued.transport == "simulated")
                try await berta.service.accept(continued.continuation, accepted: true, client: Device.app)
                let told = try await anna.next("wasContinued") { event -> [String]? in
                    guard case .wasContinued(activity, Device.app, let device, let name) = event else { return nil }
                    return [device, name]
                }
                #expect(told == [await berta.identityID.description, "berta"])
            }
        }
    }
}
