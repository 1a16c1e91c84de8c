// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import DBus
import Testing

@testable import BlueZTransport

@Suite(.timeLimit(.minutes(3))) struct AdapterSessionsTests {
    private let refusal = Refusal(.scan, because: DBusError(name: "org.bluez.Error.Failed", message: ""))

    /// Returns sessions that are represented by numbers, and a stream of the stopped ones.
    private static func make() -> (sessions: AdapterSessions<Int>, stopped: AsyncStream<Int>) {
        let (stopped, stop) = AsyncStream.makeStream(of: Int.self)
        return (AdapterSessions { stop.yield($0) }, stopped)
    }

    @Test("A session begins when its adapter is ready")
    func sessionBegins() {
        var (sessions, _) = Self.make()
        #expect(sessions.update("/hci0", isReady: false, monitors: false) { 1 } == nil)
        #expect(sessions.update("/hci0", isReady: true, monitors: false) { nil } == nil)
        #expect(sessions.adapters.isEmpty)
        let beginning = sessions.update("/hci0", isReady: true, monitors: false) { 2 }
        #expect(beginning?.session == 2)
        #expect(beginning?.predecessor == nil)
        #expect(sessions.update("/hci0", isReady: true, monitors: false) { 3 } == nil)
        #expect(sessions["/hci0"] == 2)
        #expect(sessions.update("/hci1", isReady: true, monitors: true) { 4 }?.session == 4)
        #expect(sessions.adapters == ["/hci0", "/hci1"])
        #expect(Set(sessions.all) == [2, 4])
    }

    @Test(
        "A session ends when its adapter is no longer ready, or scans in another way",
        arguments: [(false, false), (true, true)])
    func sessionEnds(isReady: Bool, monitors: Bool) async {
        var (sessions, stopped) = Self.make()
        _ = sessions.update("/hci0", isReady: true, monitors: false) { 1 }
        let next = sessions.update("/hci0", isReady: isReady, monitors: monitors) { 2 }
        #expect(next?.session == (isReady ? 2 : nil))
        var events = stopped.makeAsyncIterator()
        #expect(await events.next() == 1)
    }

    @Test("A session begins only after the previous one has ended")
    func nextSessionWaits() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (stopped, stop) = AsyncStream.makeStream(of: Int.self)
        var sessions = AdapterSessions<Int> { session in
            for await _ in gate {}
            stop.yield(session)
        }
        _ = sessions.update("/hci0", isReady: true, monitors: false) { 1 }
        _ = sessions.update("/hci0", isReady: false, monitors: false) { 0 }
        let beginning = try #require(sessions.update("/hci0", isReady: true, monitors: false) { 2 })
        #expect(sessions.all.isEmpty && sessions.adapters == ["/hci0"])
        open.finish()
        await beginning.predecessor?.value
        var events = stopped.makeAsyncIterator()
        #expect(await events.next() == 1)
        let hasBegun = sessions.begin(beginning)
        #expect(hasBegun && sessions.all == [2])
    }

    @Test("A session that ends while it waits never starts work")
    func endedWhileItWaits() throws {
        var (sessions, _) = Self.make()
        _ = sessions.update("/hci0", isReady: true, monitors: false) { 1 }
        _ = sessions.update("/hci0", isReady: false, monitors: false) { 0 }
        let overtaken = try #require(sessions.update("/hci0", isReady: true, monitors: false) { 2 })
        _ = sessions.update("/hci0", isReady: false, monitors: false) { 0 }
        let next = try #require(sessions.update("/hci0", isReady: true, monitors: false) { 3 })
        let hasBegun = sessions.begin(overtaken)
        #expect(!hasBegun && sessions.all.isEmpty)
        let hasNextBegun = sessions.begin(next)
        #expect(hasNextBegun && sessions.all == [3])
    }

    @Test("A radio sends an adapter no new request before its earlier request has ended")
    func radioWaits() async throws {
        try await RadioFixture.working { fixture, bluez in
            try await bluez.requests.wait(for: .discover(adapter: "/org/bluez/hci0"))
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            bluez.hold("RegisterAdvertisement", until: Task { for await _ in answers {} })
            let advertising = Task { try await fixture.radio.advertise([1]) }
            _ = try await bluez.advertisement()
            try bluez.power("/org/bluez/hci0", false)
            _ = try await fixture.status(.off)
            try bluez.power("/org/bluez/hci0", true)
            _ = try await fixture.status(.ready)
            let another = Task { try await fixture.radio.advertise([2]) }
            // A different adapter has nothing to wait for.
            try bluez.add(MockBlueZ.Adapter(name: "hci1", address: "00:AA:01:00:00:01"))
            var requests: [MockBlueZ.Request] = []
            var isAgain = false
            while !isAgain {
                requests.append(try await bluez.requests.next { $0 })
                guard case .advertise(let adapter, _, _) = requests.last else { continue }
                if adapter == "/org/bluez/hci1" { answer.finish() }
                isAgain = adapter == "/org/bluez/hci0"
            }
            #expect(requests.contains(.stopDiscovery(adapter: "/org/bluez/hci0")))
            answer.finish()
            try await advertising.value
            try await another.value
        }
    }

    @Test("Ending all sessions stops each one")
    func allEndInTheEnd() async {
        var (sessions, stopped) = Self.make()
        for (adapter, session) in [("/hci0", 1), ("/hci1", 2)] {
            _ = sessions.update(adapter, isReady: true, monitors: false) { session }
        }
        for ending in sessions.endAll() { await ending.value }
        #expect(sessions.all.isEmpty)
        var ended: Set<Int> = []
        for await session in stopped.prefix(2) { ended.insert(session) }
        #expect(ended == [1, 2])
    }

    @Test("A refusal is kept until it is withdrawn or the session ends")
    func refusalHolds() {
        var (sessions, _) = Self.make()
        sessions.noteScanning(on: "/hci0", refusal: refusal)
        #expect(sessions.refusals.isEmpty)
        _ = sessions.update("/hci0", isReady: true, monitors: false) { 1 }
        sessions.noteScanning(on: "/hci0", refusal: refusal)
        let other = Refusal(.advertise, because: DBusError(name: "org.bluez.Error.NotPermitted", message: ""))
        sessions.noteAdvertising(on: "/hci0", refusal: other)
        #expect(sessions.refusals == ["/hci0": other])
        sessions.noteAdvertising(on: "/hci0", refusal: nil)
        #expect(sessions.refusals == ["/hci0": refusal])
        _ = sessions.update("/hci0", isReady: false, monitors: false) { 0 }
        #expect(sessions.refusals.isEmpty)
    }

    @Test("Each request to advertise has a higher number than the previous one")
    func eachWishIsNewer() {
        var (sessions, _) = Self.make()
        #expect(sessions.wish.payload == nil)
        let first = sessions.want([1])
        let second = sessions.want(nil)
        #expect(first.payload == [1])
        #expect(first.generation < second.generation)
        #expect(sessions.wish.generation == second.generation)
    }
}
