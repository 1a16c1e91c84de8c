// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SignalTests {
    private struct Unexpected: Error {
        var wanted: String
        init(_ wanted: String) { self.wanted = wanted }
    }

    @Test("Signals for a publisher reach the publisher and no other client")
    func activityEventsAreUnicast() async throws {
        try await Ends.with { ends in
            let other = try await BatonBusClient.connect(address: ends.bus.address)
            let others = try await other.activityEvents()
            var events = try await ends.client.activityEvents().makeAsyncIterator()
            let id = ends.client.id
            ends.service.send(.willSave(activity: "a1"), to: id)
            ends.service.send(.wasContinued(activity: "a1", device: "d2", deviceName: "sofa"), to: id)
            ends.service.send(.streamsOpened(activity: "a1", stream: "s0", device: "d2", deviceName: "sofa"), to: id)
            ends.service.send(.warning(activity: "a1", text: "large"), to: id)
            ends.service.send(.currentChanged(activity: "a1", isCurrent: false), to: id)
            ends.service.send(.currentChanged(activity: "a1", isCurrent: true), to: id)
            ends.service.send(.streamEnded(stream: "s1", complete: true, error: nil), to: id)
            ends.service.send(.streamEnded(stream: "s2", complete: false, error: "gone"), to: id)
            ends.service.send(.ended(activity: "a1", reason: "taken back"), to: id)
            guard case .willSave("a1") = await events.next() else { throw Unexpected("willSave") }
            guard case .wasContinued("a1", "d2", "sofa") = await events.next() else {
                throw Unexpected("wasContinued")
            }
            guard case .streamsOpened("a1", "s0", "d2", "sofa") = await events.next() else {
                throw Unexpected("streamsOpened")
            }
            guard case .warning("a1", "large") = await events.next() else { throw Unexpected("warning") }
            guard case .currentChanged("a1", false) = await events.next() else { throw Unexpected("currentChanged") }
            guard case .currentChanged("a1", true) = await events.next() else { throw Unexpected("currentChanged") }
            guard case .streamEnded("s1", true, nil) = await events.next() else { throw Unexpected("ended") }
            guard case .streamEnded("s2", false, "gone") = await events.next() else { throw Unexpected("ended") }
            guard case .ended("a1", "taken back") = await events.next() else { throw Unexpected("ended") }
            // A reply comes after all signals that were sent before it.
            _ = try await other.status()
            other.close()
            for await event in others { Issue.record("\(event)") }
        }
    }

    @Test("Events of offers are broadcast to every client")
    func offerEventsAreBroadcast() async throws {
        try await Ends.with { ends in
            let other = try await BatonBusClient.connect(address: ends.bus.address)
            let streams = [try await ends.client.offerEvents(), try await other.offerEvents()]
            ends.service.send(.appeared(FakeHandler.bare))
            ends.service.send(.changed(FakeHandler.full))
            ends.service.send(.disappeared(offer: "o1"))
            for stream in streams {
                var events = stream.makeAsyncIterator()
                #expect(await events.next() == .appeared(FakeHandler.bare))
                #expect(await events.next() == .changed(FakeHandler.full))
                #expect(await events.next() == .disappeared(offer: "o1"))
            }
            other.close()
        }
    }

    @Test("An offer's progress reaches every client, and a client that waits for offers ignores it")
    func progressIsBroadcast() async throws {
        try await Ends.with { ends in
            let steps = [
                OfferProgress(offer: "o1", phase: .fetching),
                OfferProgress(offer: "o1", phase: .starting, opened: .application("org.example.Notes")),
                OfferProgress(offer: "o1", phase: .done),
                OfferProgress(
                    offer: "o2", phase: .failed,
                    error: BatonError(.connectionUnavailable, .unanswered, ["laptop": "desk"])),
                OfferProgress(offer: "o3", phase: .init(rawValue: "of a later version")),
            ]
            var progress = try await ends.client.offerProgress().makeAsyncIterator()
            var events = try await ends.client.offerEvents().makeAsyncIterator()
            for step in steps { ends.service.sendProgress(step) }
            ends.service.send(.disappeared(offer: "o1"))
            for step in steps { #expect(await progress.next() == step) }
            #expect(await events.next() == .disappeared(offer: "o1"))
        }
    }

    @Test("The address of a page that the browser opens is not broadcast, because it may be confidential")
    func progressHasNoAddress() async throws {
        try await Ends.with { ends in
            let listener = try await DBusConnection.open(address: ends.bus.address)
            let signals = try await listener.signals(
                matching: DBusMatch(interface: BatonBusName.offers, member: "Progress"))
            let page = "https://example.org/reset?token=secret"
            ends.service.sendProgress(OfferProgress(offer: "o1", phase: .done, opened: .webpage(page)))
            for await signal in signals {
                #expect(signal.arguments[1].stringValue == "done")
                #expect(signal.arguments[2].propertiesValue?.isEmpty == true)
                break
            }
            listener.close()
        }
    }

    @Test("The continuing and the publishing app each get the streams' descriptor, which can be half-closed")
    func descriptorsPass() async throws {
        try await Ends.with { ends in
            let (mine, theirs) = try socketPair()
            ends.handler.state.withLock { $0.descriptor = theirs }
            let opened = try await ends.client.openStreams(continuation: "c1")
            #expect(opened.stream == "s1" && opened.transport == "tcp")
            try exchange(mine, try #require(opened.descriptor.take()))

            let (ours, sent) = try socketPair()
            ends.handler.state.withLock { $0.descriptor = sent }
            let taken = try await ends.client.takeStreams("s2")
            #expect(taken.stream == "s2" && taken.transport == "l2cap")
            #expect(ends.handler.calls.last == "take s2")
            // The end of file arrives only if the daemon has no copy of the descriptor.
            try exchange(ours, try #require(taken.descriptor.take()))
        }
    }

    @Test("A socket that a client gives back belongs to the daemon, and the client keeps its own copy")
    func endIsGivenBack() async throws {
        try await Ends.with { ends in
            let (mine, theirs) = try socketPair()
            let end = OwnedDescriptor(adopting: theirs)
            try await ends.client.closeStreams("s1", end: end, discards: true, timeout: .seconds(60))
            #expect(ends.handler.calls.last == "close s1 true")
            end.close()
            let given = ends.handler.state.withLock { state in
                defer { state.closed = nil }
                return state.closed
            }
            try exchange(mine, try #require(given?.take()))
        }
    }

    @Test("The progress of streams reaches the client that follows them, beginning with the answer")
    func progress() async throws {
        try await Ends.with { ends in
            let other = try await BatonBusClient.connect(address: ends.bus.address)
            let others = try await other.followStreams("s1")
            let events = try await ends.client.activityEvents()
            var reports = try await ends.client.followStreams("s1").makeAsyncIterator()
            #expect(ends.handler.calls.last == "follow s1")
            #expect(await reports.next() == FakeHandler.progress)
            var moved = FakeHandler.progress
            (moved.sent, moved.transport, moved.isWaiting) = (.max, "l2cap", false)
            ends.service.send(FakeHandler.progress, of: "s2", to: ends.client.id)
            ends.service.send(moved, of: "s1", to: ends.client.id)
            #expect(await reports.next() == moved)
            // Programs that do not know the signal ignore it.
            ends.client.close()
            for await event in events { Issue.record("\(event)") }
            other.close()
            #expect(await others.reduce(into: []) { $0.append($1) } == [FakeHandler.progress])
        }
    }

    @Test("Signals of a peer that is not the daemon are ignored")
    func forgedSignalsAreIgnored() async throws {
        try await Ends.with { ends in
            var events = try await ends.client.activityEvents().makeAsyncIterator()
            let forger = try await DBusConnection.open(address: ends.bus.address)
            try forger.emit(
                path: BatonBusName.path, interface: BatonBusName.activities, member: "WillSave",
                arguments: [.string("forged")], destination: ends.client.id.rawValue)
            _ = try await forger.owner(of: BatonBusName.bus)
            ends.service.send(.willSave(activity: "genuine"), to: ends.client.id)
            guard case .willSave("genuine") = await events.next() else { throw Unexpected("forged") }
            forger.close()
        }
    }

    private func socketPair() throws -> (Int32, Int32) {
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }

    /// Sends a word each way, with one end half-closed before the other answers. Closes both.
    private func exchange(_ left: Int32, _ right: Int32) throws {
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(write(left, "ping", 4) == 4)
        #expect(shutdown(left, Int32(SHUT_WR)) == 0)
        #expect(read(right, &buffer, 16) == 4)
        #expect(read(right, &buffer, 16) == 0)
        #expect(write(right, "pong!", 5) == 5)
        close(right)
        #expect(read(left, &buffer, 16) == 5)
        close(left)
    }
}
