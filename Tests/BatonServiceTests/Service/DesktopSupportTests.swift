// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests the parts of the service that the desktop's side of the daemon uses.
    struct DesktopSupportTests {
        @Test("An offer whose type an app here declares has its type and team at once, without asking the other device")
        func declaredKindsAreKnown() async throws {
            try await World.withPair { anna, berta in
                await berta.service.declare([ActivityKind(team: "example", type: "note")])
                let state = ActivityState(activityType: "note")
                let activity = try await anna.service.publish(
                    state, team: "example", needsSave: false, client: Device.app)
                try await anna.service.becomeCurrent(activity, client: Device.app)
                let first = try await berta.offer("the first word of it") { _ in true }
                #expect(first.type == "note")
                #expect(first.team == "example")
            }
        }

        @Test("For types beyond the limit the other device is still asked")
        func declaredKindsAreLimited() async throws {
            try await World.withDevice { anna in
                await anna.service.declare(Set((0..<2_000).map { ActivityKind(type: "t\($0)") }))
                #expect(await anna.service.apps.declared.count == AppActivities.maximumDeclaredKinds)
            }
        }

        @Test(
            "While activities are hidden, none is advertised, not even an earlier one, and advertising resumes when allowed"
        )
        func hiddenActivities() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("note")
                _ = try await berta.offer(ofType: "note")
                await anna.service.advertise(true) { type, _ in type == "diary" ? Reason(code: "diary") : nil }
                try await anna.publish("diary", client: ClientID(rawValue: ":1.2"))
                let warning = try await anna.next("a warning") { event -> Reason? in
                    if case .warning(_, ClientID(rawValue: ":1.2"), let reason) = event { reason } else { nil }
                }
                #expect(warning == Reason(code: "diary"))
                #expect(await anna.service.advertisedEntry?.state.activityType == "note")
                #expect(await berta.service.offers().map(\.type) == ["note"])
                // A later rule is reported, and an existing rule is not reported again.
                await anna.service.advertise(true) { type, _ in
                    Reason(.hiddenByRule, ["rule": .text("hide type=\(type)")])
                }
                let later = try await anna.next("a warning") { event -> ClientID? in
                    if case .warning(_, let client, _) = event { client } else { nil }
                }
                #expect(later == Device.app)
                #expect(!anna.untaken.contains { if case .warning = $0 { true } else { false } })
                await anna.service.advertise(true) { type, _ in type == "diary" ? Reason(code: "diary") : nil }
                let over = try await anna.next("a word of its end") { event -> Reason? in
                    if case .warning(_, Device.app, let reason) = event { reason } else { nil }
                }
                #expect(over == Reason(.unhidden))
                #expect(!anna.untaken.contains { if case .warning = $0 { true } else { false } })
                _ = try await berta.offer(ofType: "note")
                await anna.service.advertise(false)
                try await berta.withdrawal(ofType: "note")
                await anna.service.advertise(true)
                _ = try await berta.offer(ofType: "diary")
            }
        }

        @Test("A rule that hides an app's activities applies to the app, if the app is known")
        func hiddenApps() async throws {
            try await World.withDevice { anna in
                try await anna.service.createCircle(name: "")
                await anna.service.advertise(true) { _, application in
                    application == "org.example.Bank" ? Reason(code: "hidden") : nil
                }
                for (application, client) in [("org.example.Notes", ":1.1"), ("org.example.Bank", ":1.2")] {
                    let activity = try await anna.service.publish(
                        ActivityState(activityType: "note"), team: "", application: application, needsSave: false,
                        client: ClientID(rawValue: client))
                    try await anna.service.becomeCurrent(activity, client: ClientID(rawValue: client))
                }
                #expect(await anna.service.advertisedEntry?.application == "org.example.Notes")
            }
        }

        @Test("A continuation that is transferred to an app belongs to that app only")
        func transfer() async throws {
            try await World.withPair { anna, berta in
                let (daemon, app) = (ClientID(rawValue: ":1.0"), ClientID(rawValue: ":1.9"))
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                let continued = try await berta.service.continueOffer(offer.offer, timeout: nil, client: daemon)
                try await berta.service.transfer(continued.continuation, from: daemon, to: app)
                for client in [daemon, ClientID(rawValue: ":1.7")] {
                    let error = await #expect(throws: BatonError.self) {
                        try await berta.service.accept(continued.continuation, accepted: true, client: client)
                    }
                    #expect(error?.code == .notFound)
                }
                try await berta.service.accept(continued.continuation, accepted: true, client: app)
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
            }
        }
    }
}
