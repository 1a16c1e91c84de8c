// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import DBus
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(5))) struct InputQueueTests {
    @Test("The queue reports every dropped input, whatever its kind")
    func overflow() async {
        let queue = InputQueue()
        for _ in 0..<InputQueue.limit { queue.pass(.owner(nil)) }
        #expect(!queue.hadOverflowed())
        queue.pass(.scanner(adapter: "/hci0", .lost("/hci0/dev")))
        #expect(queue.hadOverflowed())
        #expect(!queue.hadOverflowed())
        for _ in 0..<100_000 { queue.pass(.device("/hci0/dev", [:])) }
        queue.finish()
        #expect(queue.hadOverflowed())
        #expect(await queue.stream.reduce(0) { count, _ in count + 1 } == InputQueue.limit)
    }

    @Test("A radio that has missed an input asks for everything again")
    func askedAgain() async throws {
        try await RadioFixture.withBlueZ { fixture, bluez in
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("GetManagedObjects", until: Task { for await _ in answers {} })
            async let start: Void = fixture.radio.start()
            // The radio takes no input while it waits for the answer. The device appears too late
            // to be part of the answer.
            try await bluez.requests.wait(for: .managedObjects)
            for _ in 0..<2 * InputQueue.limit { try bluez.endDiscovery("/org/bluez/nobody") }
            let address = "00:AA:01:00:00:02"
            let properties = MockBlueZ.properties(of: address, payload: [7])
            try bluez.appear(MockBlueZ.path(address), properties, announced: false)
            answer.finish()
            try await start
            #expect(try await fixture.sighting().payload == [7])
        }
    }
}
