// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Diagnosis
import SimulatedTransport
import Testing

@testable import BatonProtocol
@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests wrong frames in each step of joining (Circle.md, "Joining"). An unexpected frame
    /// closes the channel and has no other effect.
    struct JoiningTests {
        @Test(
            "Any frame but the expected Welcome or Joined ends the joining, and the joining device is in no circle",
            arguments: [true, false])
        func joinerIsTold(welcome: Bool) async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let host = try HandMadeInviter(try await world.radio("host"))
                try await host.open()
                let due = welcome ? "welcome" : "joined"
                for frame in Frame.oneOfEachKind where frame.kind != due {
                    // At most 20 knocks are checked in a second.
                    host.clock.advance(by: .seconds(1))
                    let text = try await host.invite(at: anna.service.clock.unixTime)
                    let joining = Task { try await anna.service.joinCircle(text) }
                    let (channel, request) = try await host.joiner()
                    if !welcome {
                        var grown = host.circle
                        try grown.add(request, by: host.identity)
                        channel.send(.welcome(try grown.encoded()))
                        guard case .joined = try await channel.nextFrame(within: .seconds(30)) else {
                            throw Missing(what: "the joiner's Joined")
                        }
                    }
                    channel.send(frame)
                    let error = await #expect(throws: BatonError.self, "\(frame.kind)") { try await joining.value }
                    #expect(error?.code == .pairingFailed)
                    await #expect(throws: ChannelFailure.self) { try await channel.nextFrame(within: .seconds(30)) }
                    #expect(await anna.service.circle == nil, "\(frame.kind)")
                }
                // The correct frames succeed.
                let text = try await host.invite(at: anna.service.clock.unixTime)
                let joining = Task { try await anna.service.joinCircle(text) }
                let (channel, request) = try await host.joiner()
                var grown = host.circle
                try grown.add(request, by: host.identity)
                channel.send(.welcome(try grown.encoded()))
                _ = try await channel.nextFrame(within: .seconds(30))
                channel.send(.joined([]))
                try await joining.value
                #expect(await anna.service.circle?.id == host.circle.id)
            }
        }

        @Test(
            "Any frame of the joining device but the expected Joined ends the joining, and uses up the invitation")
        func hostIsTold() async throws {
            try await World.with { world in
                let (anna, _) = try await world.reachablePair()
                let before = try #require(await anna.service.circle)
                let joiner = DeviceIdentity()
                let radio = try await world.radio("joiner")
                let channels = try SecureChannels(handMade: joiner)
                for frame in Frame.oneOfEachKind where frame.kind != "joined" {
                    let count = await anna.service.counts["invitations"]
                    let invitation = try Invitation(text: await anna.service.invite().text, at: 0)
                    let key = try #require(PairwiseKey(invitationSecret: invitation.secret))
                    let channel = try await channels.dial(
                        anna.door, over: radio, credential: PeerCredential(peer: .inviter, key: key) { _ in true },
                        timeout: .seconds(30))
                    channel.send(.join(try JoinRequest(joiner, name: "joiner", circle: before.id).encoded()))
                    try await channel.expectWelcome()
                    channel.send(frame)
                    await #expect(throws: ChannelFailure.self, "\(frame.kind)") {
                        try await channel.nextFrame(within: .seconds(30))
                    }
                    // A channel that breaks a rule closes before the service learns of it.
                    try await anna.until("the end of the invitation after \(frame.kind)", after: .traceLine) {
                        await anna.service.counts["invitations"] == count
                    }
                    #expect(await anna.service.circle == before, "\(frame.kind)")
                }
            }
        }

        @Test("A device whose invitation ends before the device has joined stays outside")
        func invitationEndsMeanwhile() async throws {
            try await World.with { world in
                let (anna, _) = try await world.reachablePair()
                let before = try #require(await anna.service.circle)
                let joiner = DeviceIdentity()
                let radio = try await world.radio("joiner")
                let channels = try SecureChannels(handMade: joiner)
                let invitation = try Invitation(text: await anna.service.invite().text, at: 0)
                let key = try #require(PairwiseKey(invitationSecret: invitation.secret))
                let channel = try await channels.dial(
                    anna.door, over: radio, credential: PeerCredential(peer: .inviter, key: key) { _ in true },
                    timeout: .seconds(30))
                channel.send(.join(try JoinRequest(joiner, name: "joiner", circle: before.id).encoded()))
                try await channel.expectWelcome()
                await anna.service.endInvitations()
                channel.send(.joined([]))
                await #expect(throws: ChannelFailure.self) { try await channel.nextFrame(within: .seconds(30)) }
                #expect(await anna.service.circle == before)
            }
        }

        @Test(
            "A joining device whose connection breaks tries again by itself, whatever the step",
            arguments: [false, true])
        func joinerComesAgain(afterWelcome: Bool) async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let host = try HandMadeInviter(try await world.radio("host"))
                try await host.open()
                let text = try await host.invite(at: anna.service.clock.unixTime)
                let joining = Task { try await anna.service.joinCircle(text) }
                if afterWelcome {
                    (try await host.agreedJoiner()).close()
                } else {
                    (try await host.joiner()).channel.close()
                }
                host.clock.advance(by: .seconds(1))
                let channel = try await host.agreedJoiner()
                channel.send(.joined([]))
                try await joining.value
                #expect(await anna.service.circle?.id == host.circle.id)
            }
        }

        @Test("After the first joining device's connection has broken, only that device may still use the invitation")
        func invitationIsTheFirstOnes() async throws {
            try await World.with { world in
                let (anna, _) = try await world.reachablePair()
                let circle = try #require(await anna.service.circle)
                let invitation = try Invitation(text: await anna.service.invite().text, at: 0)
                let key = try #require(PairwiseKey(invitationSecret: invitation.secret))
                let radio = try await world.radio("joiner")
                func comes(_ joiner: DeviceIdentity) async throws -> (SecureChannel, Frame?) {
                    let channel = try await SecureChannels(handMade: joiner).dial(
                        anna.door, over: radio, credential: PeerCredential(peer: .inviter, key: key) { _ in true },
                        timeout: .seconds(30))
                    channel.send(.join(try JoinRequest(joiner, name: "joiner", circle: circle.id).encoded()))
                    return (channel, try? await channel.nextFrame(within: .seconds(30)))
                }
                let (joiner, thief) = (DeviceIdentity(), DeviceIdentity())
                for (device, isWelcome) in [(joiner, true), (thief, false), (joiner, true)] {
                    let (channel, frame) = try await comes(device)
                    #expect((frame?.kind == "welcome") == isWelcome)
                    channel.close()
                }
                let (channel, _) = try await comes(joiner)
                channel.send(.joined(JoinedTime(0).bytes))
                guard case .joined = try await channel.nextFrame(within: .seconds(30)) else {
                    throw Missing(what: "Joined")
                }
                #expect(await anna.service.members.count == 3)
                #expect(await anna.service.circle?.roster.members[thief.id] == nil)
            }
        }

        @Test(
            "A host that leaves, or learns of its removal, while a device joins does not return to the circle with that device",
            arguments: [true, false])
        func hostIsGone(leaves: Bool) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let (old, before) = (await anna.service.identity.id, try #require(await anna.service.circle))
                let joiner = DeviceIdentity()
                let invitation = try Invitation(text: await anna.service.invite().text, at: 0)
                let key = try #require(PairwiseKey(invitationSecret: invitation.secret))
                let channel = try await SecureChannels(handMade: joiner).dial(
                    anna.door, over: try await world.radio("joiner"),
                    credential: PeerCredential(peer: .inviter, key: key) { _ in true }, timeout: .seconds(30))
                channel.send(.join(try JoinRequest(joiner, name: "joiner", circle: before.id).encoded()))
                try await channel.expectWelcome()
                if leaves {
                    _ = try await anna.service.leaveCircle()
                } else {
                    var told = try #require(await berta.service.circle)
                    try told.remove(old, by: await berta.service.identity)
                    await anna.service.mergeCircle(try told.encoded(), from: await berta.service.identity.id)
                }
                channel.send(.joined([]))
                await #expect(throws: ChannelFailure.self, "the joiner is told") {
                    try await channel.nextFrame(within: .seconds(30))
                }
                let state = await anna.service.store.state
                #expect(state.identity.id != old && state.circle == nil && state.wasRemoved == !leaves)
                #expect(await anna.service.status().circle == nil)
            }
        }
    }
}

extension Frame {
    /// One frame of every kind.
    static let oneOfEachKind: [Frame] = {
        let (hash, instance) = ([UInt8](repeating: 1, count: 5), [UInt8](repeating: 7, count: 16))
        let error = HandoffError(.noSuchActivity, .activityEnded)
        return [
            .hello(Hello(name: "x", unixTime: 0, sequence: 1)),
            .continueRequest(ContinueRequest(id: 1, activity: hash)),
            .continueReply(ContinueReply(id: 1, result: .failure(error))),
            .continued(Continued(id: 1, accepted: true)), .streamRequest(StreamRequest(id: 1, instance: instance)),
            .streamReply(StreamReply(id: 1, result: .failure(error))), .goodbye(Goodbye(reason: .idle)),
            .join([1]), .welcome([]), .joined([]),
            .attach(Attach(token: instance, generation: 1, nextOffset: 0, window: 1)),
            .attached(Attached(nextOffset: 0, window: 0)), .data(StreamData(offset: 0, bytes: [1])),
            .ack(Ack(offset: 0, window: 0)), .end(End(offset: 0)), .endAck, .reset(Reset(reason: .timedOut)),
            .acceptance(Acceptance(instance: instance)), .probeRequest(ProbeRequest(id: 1)),
            .probeReply(ProbeReply(id: 1, result: .failure(error))), .trial,
        ]
    }()
}

extension HandoffService {
    /// Ends all open invitations, as when their users withdraw them.
    fileprivate func endInvitations() {
        for name in invitations.all.keys { endInvitation(name, because: Self.withdrawn) }
    }
}
