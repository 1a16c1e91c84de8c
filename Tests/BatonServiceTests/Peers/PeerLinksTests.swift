// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Testing

@testable import BatonService

/// Tests which link requests use if there are several links to a device, and what happens to the
/// others.
@Suite struct PeerLinksTests {
    private final class Link: DialledLink, Sendable {
        let device: DeviceID
        let traits: TransportTraits
        let dialler: DeviceID
        let isSilent: Bool

        init(
            _ device: DeviceID, _ transport: TransportKind = .tcp, dialledBy dialler: DeviceID, isSilent: Bool = false
        ) {
            self.device = device
            traits = TransportTraits(
                kind: transport, range: transport == .tcp ? .network : .radio, streamWindow: 1, streamChunk: 1,
                pauseBetweenDials: .zero, dialAttempts: 1)
            self.dialler = dialler
            self.isSilent = isSilent
        }
    }

    /// This device, whose id is smaller than the other's.
    private let own: DeviceID
    private let other: DeviceID
    private var subject = PeerLinks<Link>()

    init() {
        let ids = [DeviceIdentity().id, DeviceIdentity().id].sorted()
        (own, other) = (ids[0], ids[1])
    }

    private mutating func adopt(_ link: Link) -> String {
        switch subject.adopt(link, at: own) {
        case .taken: "taken"
        case .replaces(let older): older.contains { $0 === link } ? "itself" : "replaces \(older.count)"
        case .surplus: "surplus"
        }
    }

    @Test("One link of each transport is kept for requests, and the radio's link is used last")
    mutating func transports() {
        let (radio, tcp) = (Link(other, .l2cap, dialledBy: own), Link(other, .tcp, dialledBy: own))
        let outcomes = [adopt(radio), adopt(tcp)]
        #expect(outcomes == ["taken", "taken"])
        #expect(subject.to(other).map(\.traits.kind) == [.tcp, .l2cap])
        #expect(subject[other, .l2cap] === radio && subject.leads(to: other) && !subject.leads(to: own))
        #expect(subject.openCount(where: { $0 == other }) == 2)
    }

    @Test("If both devices have dialled, the link of the device with the smaller id stays, whichever comes first")
    mutating func crossing() {
        let (mine, theirs) = (Link(other, dialledBy: own), Link(other, dialledBy: other))
        let outcomes = [adopt(mine), adopt(theirs)]
        #expect(outcomes == ["taken", "surplus"] && subject[other, .tcp] === mine)
        var late = PeerLinks<Link>()
        _ = late.adopt(theirs, at: own)
        guard case .replaces(let older) = late.adopt(mine, at: own) else {
            Issue.record("mine did not take the place of theirs")
            return
        }
        #expect(older.map { $0 === theirs } == [true] && late[other, .tcp] === mine)
        // A draining link counts as open until its channel has closed.
        #expect(late.openCount(where: { $0 == other }) == 2)
        late.retire(theirs)
        #expect(late[other, .tcp] === mine)
        late.ended(theirs)
        #expect(late.open.count == 1)
    }

    @Test("A device that has dialled twice keeps the newer link, and the other side follows that choice")
    mutating func twice() {
        let mine = [adopt(Link(other, dialledBy: own)), adopt(Link(other, dialledBy: own))]
        #expect(mine == ["taken", "replaces 1"])
        subject = PeerLinks()
        let newer = Link(other, dialledBy: other)
        let theirs = [adopt(Link(other, dialledBy: other)), adopt(newer)]
        #expect(theirs == ["taken", "taken"] && subject[other, .tcp] === newer && subject.open.count == 2)
        let late = adopt(Link(other, dialledBy: own))
        #expect(late == "replaces 2" && subject.all.count == 1)
    }

    @Test("If the other side drains the newer link, requests use the older one")
    mutating func otherOrder() {
        let (kept, drained) = (Link(other, dialledBy: other), Link(other, dialledBy: other))
        let outcomes = [adopt(kept), adopt(drained)]
        let again = subject.retire(drained)
        #expect(outcomes == ["taken", "taken"] && subject[other, .tcp] === kept && subject.leads(to: other))
        #expect(again === kept, "it has not got the hellos and offers since then")
        let none = subject.retire(kept)
        #expect(none == nil && subject.all.isEmpty && !subject.leads(to: other))
    }

    @Test("If the preferred link was silent for long, requests use the newly dialled one")
    mutating func silent() {
        let (older, newer) = (Link(other, dialledBy: own, isSilent: true), Link(other, dialledBy: other))
        let outcomes = [adopt(older), adopt(newer)]
        #expect(outcomes == ["taken", "taken"] && subject[other, .tcp] === newer)
        // The other side received bytes on the older link, and drains the newer one.
        let again = subject.retire(newer)
        #expect(again === older && subject[other, .tcp] === older)
    }

    @Test("If an older link is retired, requests still use the newer one")
    mutating func olderEnds() {
        let (older, newer) = (Link(other, dialledBy: other), Link(other, dialledBy: other))
        let outcomes = [adopt(older), adopt(newer)]
        let again = subject.retire(older)
        #expect(outcomes == ["taken", "taken"] && again == nil && subject[other, .tcp] === newer)
    }

    @Test("A retired or ended link is no longer found")
    mutating func ends() {
        let link = Link(other, dialledBy: own)
        _ = adopt(link)
        subject.retire(link)
        #expect(subject.all.isEmpty && !subject.leads(to: other) && subject.open.count == 1)
        subject.ended(link)
        #expect(subject.open.isEmpty && subject.openCount(where: { $0 == other }) == 0)
    }
}

/// The running dials.
@Suite struct DialsTests {
    private let device = DeviceIdentity().id
    private var subject = Dials<Int>()

    private func dial() -> Dials<Int>.Dial {
        Dials.Dial(
            task: Task { try await Task.sleep(for: .seconds(86_400)) }, waiters: Waiters<Int>(),
            signs: SignsOfLife(clock: ManualClock()))
    }

    @Test("The end of a cancelled dial does not end its successor")
    mutating func followed() {
        let id = Dials<Int>.ID(device: device, route: .any)
        let (former, next) = (dial(), dial())
        subject.begin(id, former)
        subject.begin(id, next)
        subject.ended(id, former.waiters)
        #expect(subject[id]?.waiters === next.waiters && subject.count == 1)
        subject.ended(id, next.waiters)
        #expect(subject.isEmpty)
        for dial in [former, next] { dial.task.cancel() }
    }

    @Test("Nearby dials and other dials are separate, and cancelling some devices' dials does not affect the rest")
    mutating func routes() {
        let other = DeviceIdentity().id
        let dials = [dial(), dial(), dial()]
        subject.begin(.init(device: device, route: .any), dials[0])
        subject.begin(.init(device: device, route: .near(signal: -60)), dials[1])
        subject.begin(.init(device: other, route: .any), dials[2])
        #expect(subject.count == 3)
        subject.cancel { $0 == other }
        #expect(dials.map(\.task.isCancelled) == [false, false, true] && subject.count == 3)
        subject.cancel { _ in true }
    }

    @Test("An incoming link serves all waiters for a dial that it can replace, and ends that dial")
    mutating func answered() async throws {
        let dials = [dial(), dial()]
        subject.begin(.init(device: device, route: .any), dials[0])
        subject.begin(.init(device: device, route: .near(signal: -60)), dials[1])
        #expect(Set(subject.routes(to: device)) == [.any, .near(signal: -60)])
        subject.answered(.init(device: device, route: .any), with: 7)
        #expect(try await dials[0].waiters.value() == 7)
        #expect(dials.map(\.task.isCancelled) == [true, false] && subject.routes(to: device) == [.near(signal: -60)])
        subject.cancel { _ in true }
    }

    @Test("Dropping dials wakes and removes all their waiters")
    mutating func dropped() async {
        let dial = dial()
        subject.begin(.init(device: device, route: .any), dial)
        subject.drop(CancellationError())
        #expect(subject.isEmpty && subject.waiterCount == 0 && dial.task.isCancelled)
        await #expect(throws: CancellationError.self) { try await dial.waiters.value() }
    }
}
