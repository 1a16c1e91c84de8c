// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import DBus
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(5))) struct InputQueueTests {
    @Test("Whatever it is that finds no room, it is known that something was dropped")
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

    @Test("A radio that has missed something asks for everything again")
    func askedAgain() async throws {
        try await RadioFixture.working { fixture, bluez in
            let address = "00:AA:01:00:00:02"
            let properties = MockBlueZ.properties(of: address, payload: [7])
            try bluez.appear(MockBlueZ.path(address), properties, announced: false)
            await fixture.radio.overflow()
            #expect(try await fixture.sighting().payload == [7])
        }
    }
}

extension BlueZRadio {
    /// Puts in more than there is room for, of which the radio takes nothing meanwhile.
    fileprivate func overflow() {
        for _ in 0..<2 * InputQueue.limit { inputs?.pass(.device("/org/bluez/nobody", [:])) }
    }
}
