// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@testable import BlueZTransport

struct InputQueueTests {
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
}
