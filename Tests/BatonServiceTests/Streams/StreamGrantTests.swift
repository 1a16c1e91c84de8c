// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests which devices may open streams. Streams carry an app's present data, so a device must
    /// have fetched the activity, and pairs beyond the first count as fetches.
    struct StreamGrantTests {
        @Test("Only a device that has fetched the activity gets streams, and no other device that knows its instance")
        func whoHasNotFetched() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let carla = try await world.device("carla")
                try await carla.service.joinCircle(anna.service.invite().text)
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                let (device, instance) = try await berta.service.parts(of: continued.continuation)
                _ = try await carla.offer(ofType: "org.example.draw")
                let refusal = await #expect(throws: HandoffError.self) {
                    try await carla.service.requestStreams(to: instance, on: device)
                }
                #expect(refusal?.told == FailureCode.notFetched.meaning)
                _ = try await carla.takeOver("org.example.draw")
                _ = try await carla.service.requestStreams(to: instance, on: device)
            }
        }

        @Test("The first streams after a fetch belong to that fetch, and further ones count as fetches in the history")
        func moreAreFetches() async throws {
            try await World.withPair { anna, berta in
                let given = Watched<Int>(0)
                await anna.service.countGiven { given.change { $0 += 1 } }
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                for expected in [1, 2, 3] {
                    let ends = [try await berta.openStreams(continued.continuation), try await anna.streamsOpened()]
                    #expect(given.value == expected)
                    for end in ends { end.close() }
                }
                // Three more fetches allow only one pair of streams that does not count as a fetch.
                for _ in 0..<3 { _ = try await berta.takeOver("org.example.draw") }
                #expect(given.value == 6)
                let ends = [try await berta.openStreams(continued.continuation), try await anna.streamsOpened()]
                #expect(given.value == 6)
                for end in ends { end.close() }
                let more = [try await berta.openStreams(continued.continuation), try await anna.streamsOpened()]
                #expect(given.value == 7)
                for end in more { end.close() }
            }
        }

        @Test("A stopped device loses its streams, even those that it is about to open")
        func stopped() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                let (device, instance) = try await berta.service.parts(of: continued.continuation)
                let (other, app) = (try await berta.openStreams(continued.continuation), try await anna.streamsOpened())
                let grant = try await berta.service.requestStreams(to: instance, on: device)
                _ = try await anna.service.stopDevice("berta")
                #expect(try await anna.streamEnd(app) == Reason(.streamsStopped))
                #expect(try await berta.attach(grant.token, at: anna) == .reset(Reset(reason: .unknownToken)))
                for end in [other, app] { end.close() }
            }
        }
    }
}

extension HandoffService {
    fileprivate func countGiven(_ count: @escaping @Sendable () -> Void) { tellGiven = { _ in count() } }
}

/// Tests ``StreamGrants`` alone.
struct StreamGrantsTests {
    private var subject = StreamGrants()

    @Test("A device's last 64 activities are remembered")
    mutating func bounded() {
        for number in 0..<1_000 { subject.fetched([UInt8(number / 256), UInt8(number % 256)]) }
        let known = (0..<1_000).filter { subject.hasFetched([UInt8($0 / 256), UInt8($0 % 256)]) }
        #expect(known == Array(936..<1_000))
    }
}
