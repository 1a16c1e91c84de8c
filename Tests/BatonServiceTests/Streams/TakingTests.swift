// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests streams that another device has opened and that wait for the app that was told of
    /// them.
    struct TakingTests {
        /// Opens streams from berta to anna's activity. They wait for anna's app.
        private func open(_ anna: Device, _ berta: Device) async throws -> (stream: String, other: AppEnd) {
            try await anna.publish("org.example.draw", streams: true)
            let continued = try await berta.takeOver("org.example.draw")
            let other = try await berta.openStreams(continued.continuation)
            return (try await anna.streamsWaiting(), other)
        }

        @Test("The event StreamsOpened has the other device's id and name")
        func told() async throws {
            try await World.withPair { anna, berta in
                let activity = try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                let other = try await berta.openStreams(continued.continuation)
                let told = try await anna.next("streamsOpened") { event -> [String]? in
                    guard case .streamsOpened(let activity, _, _, let device, let name) = event else { return nil }
                    return [activity, device, name]
                }
                #expect(told == [activity, await berta.identityID.description, "berta"])
                other.close()
            }
        }

        @Test("The program that was told of streams can take them once, with the bytes that came meanwhile")
        func once() async throws {
            try await World.withPair { anna, berta in
                let (stream, other) = try await open(anna, berta)
                await other.write([1, 2, 3])
                other.finish()
                for (id, client) in [(stream, ClientID(rawValue: ":1.99")), ("another", Device.app), ("", Device.app)] {
                    let error = await #expect(throws: BatonError.self) {
                        try await anna.service.takeStreams(id, client: client)
                    }
                    #expect(error?.code == .notFound)
                }
                let app = try AppEnd(await anna.service.takeStreams(stream, client: Device.app))
                let again = await #expect(throws: BatonError.self) {
                    try await anna.service.takeStreams(stream, client: Device.app)
                }
                #expect(again?.code == .notFound)
                #expect(await app.read() == [1, 2, 3])
                app.finish()
                #expect(try await anna.streamEnd(app) == nil)
                #expect(try await berta.streamEnd(other) == nil)
                app.close()
                other.close()
            }
        }

        @Test("Streams that are not taken within 30 s fail, and each side gets the reason")
        func tooLate() async throws {
            try await World.withPair { anna, berta, clock in
                let (stream, other) = try await open(anna, berta)
                let taken = try await open(anna, berta)
                let app = try AppEnd(await anna.service.takeStreams(taken.stream, client: Device.app))
                clock.advance(by: .seconds(30))
                #expect(
                    try await anna.streamEnd(stream)
                        == Reason(.streamsNotTaken))
                #expect(try await berta.streamEnd(other) == Reason(.streamsNotTakenThere))
                let late = await #expect(throws: BatonError.self) {
                    try await anna.service.takeStreams(stream, client: Device.app)
                }
                #expect(late?.code == .notFound)
                #expect(await anna.service.timetable.deadlines[.streams] == nil)
                // The streams that the app has taken continue.
                await app.write([7])
                #expect(await taken.other.read(1) == [7])
                for end in [other, taken.other, app] { end.close() }
            }
        }

        @Test("Streams for a program that leaves before it has taken them fail at once")
        func clientLeaves() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let (_, other) = try await open(anna, berta)
                await anna.service.clientLeft(Device.app)
                #expect(
                    try await berta.streamEnd(other)
                        == Reason(.streamsClosedThere)
                )
                // Each device learns of the end separately.
                try await anna.until("nothing is left of them", after: .traceLine) {
                    await anna.service.counts["streams"] == 0
                }
                other.close()
            }
        }

        @Test("Waiting streams count towards a program's 16 pairs with one device, until they fail")
        func bounded() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                var others: [AppEnd] = []
                for _ in 0..<StreamPlaces.maximumPerProgramAndDevice {
                    others.append(try await berta.openStreams(continued.continuation))
                    _ = try await anna.streamsWaiting()
                }
                #expect(await anna.service.counts["streamPlaces"] == others.count)
                // Ask as another program on berta, because the first has no place left.
                let (device, instance) = try await berta.service.parts(of: continued.continuation)
                let grant = try await berta.service.requestStreams(to: instance, on: device)
                #expect(try await berta.attach(grant.token, at: anna) == .reset(Reset(reason: .unknownToken)))
                clock.advance(by: .seconds(30))
                for other in others { #expect(try await berta.streamEnd(other) != nil) }
                try await anna.until("they have failed here", after: .traceLine) {
                    await anna.service.counts["streamPlaces"] == 0
                }
                let next = try await berta.openStreams(continued.continuation)
                try await anna.streamsOpened().close()
                for other in others + [next] { other.close() }
            }
        }
    }
}
