// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct MailboxTests {
    private static let many = 100_000

    private func waiting<Key, Value>(in mailbox: Mailbox<Key, Value>) async -> [Mailbox<Key, Value>.News] {
        var all: [Mailbox<Key, Value>.News] = []
        while mailbox.count > 0, let news = await mailbox.next() { all.append(news) }
        return all
    }

    @Test("Only the latest entry of each key waits in a mailbox, at the position of the key's first entry")
    func latest() async {
        let mailbox = Mailbox<Int, Int>()
        for change in 0..<Self.many {
            mailbox.put(change, for: change % 8)
            #expect(mailbox.count <= 8)
        }
        let news = await waiting(in: mailbox)
        #expect(news.map(\.key) == Array(0..<8))
        #expect(news.map(\.value) == (0..<8).map { Self.many - 8 + $0 } && news.allSatisfy { !$0.wasKnown })
        mailbox.put(1, for: 3)
        #expect(await mailbox.next()?.wasKnown == true)
    }

    @Test("The removal of an entry is reported only if the consumer has got an entry with that key before")
    func goes() async {
        let mailbox = Mailbox<Int, Int>()
        for number in 0..<Self.many {
            mailbox.put(number, for: number)
            mailbox.remove(number)
        }
        #expect(mailbox.count == 0)
        mailbox.put(1, for: 1)
        _ = await mailbox.next()
        for change in 0..<Self.many {
            mailbox.put(change, for: 1)
            mailbox.remove(1)
        }
        #expect(mailbox.count == 1)
        let news = await mailbox.next()
        #expect(news?.key == 1 && news?.value == nil && news?.wasKnown == true)
        // After the removal, the mailbox no longer counts the key as known to the consumer.
        mailbox.put(2, for: 1)
        #expect(await mailbox.next()?.wasKnown == false)
        mailbox.remove(7)
        #expect(mailbox.count == 0)
    }

    @Test("At the limit, entries with new keys are refused, and entries with known keys are accepted")
    func limit() async {
        let mailbox = Mailbox<Int, Int>()
        for key in 0..<4 { #expect(mailbox.put(0, for: key, limit: 6)) }
        for _ in 0..<4 { _ = await mailbox.next() }
        var taken = 0
        for key in 4..<Self.many where mailbox.put(0, for: key, limit: 6) { taken += 1 }
        #expect(taken == 2 && mailbox.count == 2)
        #expect(mailbox.put(1, for: 0, limit: 6))
        for key in 0..<4 { mailbox.remove(key) }
        #expect(mailbox.count == 6)
        for _ in 0..<6 { _ = await mailbox.next() }
        #expect(mailbox.put(0, for: 9, limit: 6))
    }

    @Test("A waiting consumer is woken, and after the end it gets only the waiting entries")
    func wakesAndEnds() async throws {
        let mailbox = Mailbox<Int, Int>()
        let keys = Watched<[Int]>([])
        let consumer = Task { while let news = await mailbox.next() { keys.change { $0.append(news.key) } } }
        for key in 0..<1_000 {
            mailbox.put(0, for: key)
            try await keys.wait("its taking") { $0.count > key ? () : nil }
        }
        mailbox.finish()
        #expect(!mailbox.put(0, for: -1))
        await consumer.value
        #expect(keys.value == Array(0..<1_000))
        let ended = Mailbox<Int, Int>()
        ended.put(0, for: 7)
        ended.finish()
        #expect(await ended.next()?.key == 7)
        #expect(await ended.next()?.key == nil)
    }

    @Test("A radio with a slow consumer drops sightings of strangers, but never its condition or the loss of a peer")
    func radioEvents() async {
        let queue = RadioEventQueue()
        var events = queue.events.makeAsyncIterator()
        func sight(_ number: Int) {
            queue.tell(
                .sighted(Sighting(address: "\(number)", payload: [UInt8(truncatingIfNeeded: number)], signal: nil)))
        }
        for number in 0..<16 { sight(number) }
        for _ in 0..<16 { _ = await events.next() }
        // From now on there is no consumer.
        for number in 0..<Self.many { sight(number % 5_000) }
        let ready = RadioStatus(.ready)
        for condition in [RadioStatus.Condition.off, .absent] {
            queue.tell(.status(RadioStatus(condition)))
        }
        queue.tell(.status(ready))
        for number in 0..<5_000 { queue.tell(.lost(address: "\(number)")) }
        #expect(queue.count == 17)
        var told: [RadioEvent] = []
        while queue.count > 0, let event = await events.next() { told.append(event) }
        #expect(told == (0..<16).map { .lost(address: "\($0)") } + [.status(ready)])
        for number in 0..<Self.many { sight(number) }
        #expect(queue.count == RadioEventQueue.maximumAddresses - 1, "beside the condition")
    }
}
