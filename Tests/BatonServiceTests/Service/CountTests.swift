// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct CountTests {
        @Test("The service's counts show what is in progress, and return to their earlier values afterwards")
        func counts() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("draw", streams: true)
                _ = try await berta.offer(ofType: "draw")
                let before = (await anna.service.status().counts, await berta.service.status().counts)
                #expect(before.0["activities"] == 1 && before.1["offers"] == 1 && before.1["heardDevices"] == 1)
                for _ in 0..<3 {
                    clock.advance(by: .seconds(1))
                    let continued = try await berta.takeOver("draw")
                    #expect(await berta.service.counts["continuations"] == 1)
                    let ends = [try await berta.openStreams(continued.continuation), try await anna.streamsOpened()]
                    #expect(await berta.service.counts["streams"] == 1)
                    for end in ends { end.close() }
                    try await berta.until("the streams' end", after: .traceLine) {
                        await berta.service.counts["streams"] == 0
                    }
                    await berta.service.cancel(continued.continuation, client: Device.app)
                    #expect(await berta.service.counts["continuations"] == 0)
                }
            }
        }

        @Test("A task counts from its beginning to its end, however it ends")
        func tasks() async throws {
            let tasks = BackgroundTasks()
            let clock = ManualClock()
            let sleeper = tasks.begin { try await clock.sleep(until: .seconds(1)) }
            #expect(tasks.count == 1)
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
            #expect(tasks.count == 0)
            for _ in 0..<10_000 { try await tasks.begin {}.value }
            #expect(tasks.count == 0)
        }
    }
}
