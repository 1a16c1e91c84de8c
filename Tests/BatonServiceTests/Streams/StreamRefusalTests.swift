// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    struct StreamRefusalTests {
        @Test("Streams to an activity that accepts none are refused at once")
        func unsupported() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("org.example.note")
                let continued = try await berta.takeOver("org.example.note")
                let error = await #expect(throws: BatonError.self) {
                    try await berta.openStreams(continued.continuation)
                }
                #expect(error?.code == .handoffFailed)
            }
        }

        @Test("Streams can be opened only for 60 s after a continuation, whether or not the activity is still current")
        func reachableAfterwards() async throws {
            try await World.withReachablePair { anna, berta, clock in
                let activity = try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                _ = try await anna.next("wasContinued") { event -> Bool? in
                    if case .wasContinued = event { true } else { nil }
                }
                try await anna.service.resignCurrent(activity, client: Device.app)
                clock.advance(by: .seconds(29))
                let end = try await berta.openStreams(continued.continuation)
                let other = try await anna.streamsOpened()
                end.close()
                other.close()
                let (device, instance) = try await berta.service.parts(of: continued.continuation)
                clock.advance(by: .seconds(32))
                // Berta has forgotten the continuation, and anna refuses its streams.
                try await berta.holds(0, of: "continuations")
                let late = await #expect(throws: BatonError.self) {
                    try await berta.openStreams(continued.continuation)
                }
                #expect(late?.code == .notFound)
                let refusal = await #expect(throws: HandoffError.self) {
                    try await berta.service.requestStreams(to: instance, on: device)
                }
                #expect(refusal?.told == FailureCode.activityEnded.meaning)
            }
        }

        @Test("No streams can be opened to a continued activity that was invalidated")
        func invalidatedAfterwards() async throws {
            try await World.withReachablePair { anna, berta in
                let activity = try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.takeOver("org.example.draw")
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
                try await anna.service.invalidate(activity, client: Device.app)
                let refusal = await #expect(throws: BatonError.self) {
                    try await berta.openStreams(continued.continuation)
                }
                // The error code that anna sends does not say that the activity was invalidated.
                #expect(refusal?.reason?.failure == .laptopUnavailable)
            }
        }

        @Test("An app that takes 90 s to start and to open its document can still continue and open streams")
        func slowApp() async throws {
            try await World.withReachablePair { anna, berta, clock in
                try await anna.publish("org.example.draw", streams: true)
                let continued = try await berta.continueOffer(ofType: "org.example.draw")
                clock.advance(by: .seconds(90))
                // Let all tasks run that wake by then.
                for _ in 0..<1_000 { await Task.yield() }
                try await berta.service.accept(continued.continuation, accepted: true, client: Device.app)
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
                let end = try await berta.openStreams(continued.continuation)
                let other = try await anna.streamsOpened()
                end.close()
                other.close()
                let late = try await berta.continueOffer(ofType: "org.example.draw")
                clock.advance(by: .seconds(121))
                try await berta.holds(0, of: "continuations")
                let error = await #expect(throws: BatonError.self) {
                    try await berta.service.accept(late.continuation, accepted: true, client: Device.app)
                }
                #expect(error?.code == .notFound)
            }
        }

        @Test("Streams that are not open after two minutes are abandoned, although each step has time left")
        func openingTakesTooLong() async throws {
            try await World.with { world, clock in
                let check = Watched((isHeld: false, count: 0))
                let anna = try await world.device(
                    "anna", clock: clock,
                    whyRefused: { _, _ in
                        check.change { if $0.isHeld { $0.count += 1 } }
                        try? await check.wait("the end of the check") { $0.isHeld ? nil : () }
                        return nil
                    })
                let (berta, radio) = try await world.device("berta", clock: clock, radioProxy: { SwallowingRadio($0) })
                try await anna.makeCircle(with: berta)
                var state = ActivityState(activityType: "org.example.draw")
                state.supportsContinuationStreams = true
                try await anna.publish(state, speaker: ClientID(rawValue: ":1.9"))
                let continuation = try await berta.takeOver("org.example.draw").continuation
                check.change { $0.isHeld = true }
                let opening = Task { try await berta.openStreams(continuation).close() }
                try await check.wait("a check") { $0.count > 0 ? () : nil }
                // The other device may answer after 60 s. An Attach has 10 s, and after that the
                // streams have 60 s for another one.
                clock.advance(by: .seconds(55))
                check.change { $0.isHeld = false }
                for count in 1...2 {
                    let end = clock.uptime + .seconds(10)
                    try await radio.swallowed.wait("an Attach that is lost") { $0 >= count ? () : nil }
                    await clock.waitForMoments { $0.contains(end) }
                    clock.advance(by: .seconds(10))
                }
                try #require(await berta.service.streams.all.count == 1)
                clock.advance(by: .seconds(45))
                let error = await #expect(throws: BatonError.self) { try await opening.value }
                #expect(error?.code == .connectionUnavailable)
            }
        }

        @Test("A token opens one pair of streams for the device that got it, and invented tokens open none")
        func tokens() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let carla = try await world.device("carla")
                try await carla.service.joinCircle(anna.service.invite().text)
                let grant = try await berta.streamGrant(from: anna)

                // Carla cannot use berta's token, nor use it up.
                _ = try await carla.offer(ofType: "org.example.draw")
                #expect(try await carla.attach(grant.token, at: anna) == .reset(Reset(reason: .unknownToken)))
                let unknown = [UInt8](repeating: 7, count: 16)
                #expect(try await berta.attach(unknown, at: anna) == .reset(Reset(reason: .unknownToken)))
                guard case .attached = try await berta.attach(grant.token, at: anna) else {
                    Issue.record("the token was not accepted")
                    return
                }
                #expect(try await berta.attach(grant.token, at: anna) == .reset(Reset(reason: .staleGeneration)))
                _ = try await anna.streamsWaiting()
            }
        }

        @Test(
            "Streams can begin in any generation except the greatest possible one, which is refused",
            arguments: [2, .max])
        func generations(generation: UInt32) async throws {
            try await World.withPair { anna, berta in
                let grant = try await berta.streamGrant(from: anna)
                let channel = try await berta.dial(anna)
                channel.send(.attach(Attach(token: grant.token, generation: generation, nextOffset: 0, window: 1_000)))
                let answer = try await channel.nextFrame(within: .seconds(30))
                guard generation < .max else {
                    #expect(answer == .reset(Reset(reason: .staleGeneration)))
                    return
                }
                guard case .attached = answer else {
                    Issue.record("\(answer)")
                    return
                }
                let app = try await anna.streamsOpened()
                channel.send(.data(StreamData(offset: 0, bytes: [1, 2, 3])))
                #expect(await app.read(3) == [1, 2, 3])
                channel.send(.reset(Reset(reason: .applicationFailed)))
                #expect(try await anna.streamEnd(app) == Reason(.streamsClosedThere))
                app.close()
            }
        }

        @Test("An Attach that comes while the first is still being judged is answered afterwards")
        func attachedMeanwhile() async throws {
            try await World.with { world in
                let (isHeld, checks) = (Watched(false), Watched(0))
                let anna = try await world.device(
                    "anna",
                    whyRefused: { _, _ in
                        checks.change { $0 += 1 }
                        _ = try? await isHeld.wait("the end of a check") { $0 ? nil : true }
                        return nil
                    })
                let berta = try await world.device("berta")
                try await anna.makeCircle(with: berta)
                var state = ActivityState(activityType: "song")
                state.supportsContinuationStreams = true
                try await anna.publish(state, speaker: ClientID(rawValue: ":1.9"))
                let continued = try await berta.takeOver("song")
                let (device, instance) = try await berta.service.parts(of: continued.continuation)
                let grant = try await berta.service.requestStreams(to: instance, on: device)

                let before = checks.value
                isHeld.change { $0 = true }
                let channels = [try await berta.dial(anna), try await berta.dial(anna)]
                for (channel, generation) in zip(channels, [1, 2] as [UInt32]) {
                    channel.send(
                        .attach(Attach(token: grant.token, generation: generation, nextOffset: 0, window: 1_000)))
                    try await checks.wait("the first is being judged") { $0 > before ? true : nil }
                }
                // Anna has read both.
                try await anna.holds(0, of: "channelsWaiting")
                isHeld.change { $0 = false }
                guard case .attached = try await channels[1].nextFrame(within: .seconds(30)) else {
                    Issue.record("the second was not accepted")
                    return
                }
                try await anna.streamsOpened().close()
            }
        }

        @Test("A finished pair is still answered after this device has closed its channel")
        func finished() async throws {
            try await World.withPair { anna, berta, clock in
                let grant = try await berta.streamGrant(from: anna)
                let attach = { Attach(token: grant.token, generation: $0, nextOffset: 0, window: 1_000) }
                let end = Frame.end(End(offset: 0))

                let first = try await berta.dial(anna)
                first.send(.attach(attach(1)))
                _ = try await first.nextFrame(within: .seconds(30))
                let app = try await anna.streamsOpened()
                app.finish()
                #expect(try await first.nextFrame(within: .seconds(30)) == end)
                for frame in [end, .endAck] { first.send(frame) }
                #expect(await app.read() == [])
                #expect(try await first.nextFrame(within: .seconds(30)) == .endAck)
                #expect(try await anna.streamEnd(app) == nil)
                app.close()

                // Berta does not close, as if the last frame had not come.
                clock.advance(by: .seconds(5))
                #expect(await first.failure() == nil)
                let second = try await berta.dial(anna)
                second.send(.attach(attach(2)))
                let attached = Attached(nextOffset: 0, window: second.traits.streamWindow)
                #expect(try await second.nextFrame(within: .seconds(30)) == .attached(attached))
                second.send(end)
                #expect(try await second.nextFrame(within: .seconds(30)) == .endAck)
                second.close()
            }
        }

        @Test("A token that was not used for 60 s is no longer valid")
        func oldToken() async throws {
            try await World.withPair { anna, berta, clock in
                let grant = try await berta.streamGrant(from: anna)
                clock.advance(by: .seconds(60))
                #expect(try await berta.attach(grant.token, at: anna) == .reset(Reset(reason: .unknownToken)))
            }
        }
    }
}

extension HandoffService {
    /// Returns the device and the instance of a continuation.
    func parts(of id: String) throws -> (device: DeviceID, instance: [UInt8]) {
        let continuation = try continuations.entry(id, of: Device.app)
        return (continuation.device, continuation.instance)
    }

    /// Asks for streams without checking whether that is allowed.
    func requestStreams(to instance: [UInt8], on device: DeviceID) async throws -> StreamGrant {
        try await ask(device, until: clock.uptime + .seconds(30)) { link in
            try await link.openStreams(to: instance, timeout: .seconds(30))
        }
    }
}

extension Device {
    /// Continues a new drawing of another device, and returns the grant for streams to it.
    func streamGrant(from origin: Device) async throws -> StreamGrant {
        try await origin.publish(StreamEnds.type, streams: true)
        let continued = try await takeOver(StreamEnds.type)
        let (device, instance) = try await service.parts(of: continued.continuation)
        return try await service.requestStreams(to: instance, on: device)
    }

    /// Sends a token from this device to another, and returns the answer.
    func attach(_ token: [UInt8], at other: Device) async throws -> Frame {
        let channel = try await dial(other)
        defer { channel.close() }
        channel.send(.attach(Attach(token: token, generation: 1, nextOffset: 0, window: 1_000)))
        return try await channel.nextFrame(within: .seconds(30))
    }

    /// Opens a secure channel to another device of the circle, and sends no frame on it.
    func dial(_ other: Device) async throws -> SecureChannel {
        let endpoint = try #require(await other.service.reachability.listeners[.simulated]?.endpoints().first)
        return try await service.channels.dial(
            endpoint, over: radio, credential: credential(of: other), timeout: .seconds(30))
    }

    /// Returns the credential with which this device knocks at another one.
    func credential(of other: Device) async throws -> PeerCredential {
        let id = await other.service.identity.id
        return try #require(await service.keyring.credential(of: id))
    }
}
