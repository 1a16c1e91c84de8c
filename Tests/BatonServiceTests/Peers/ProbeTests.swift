// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import Foundation
import Synchronization
import TCPTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests whether two devices hear and reach each other, in each direction (Session.md,
    /// "Probe").
    struct ProbeTests {
        private func failure(_ device: Device, probing name: String) async -> BatonError? {
            await #expect(throws: BatonError.self) { try await device.service.probe(name) }
        }

        /// Returns the transports over which a device reached the other.
        private func leading(_ side: DeviceProbe.Side) -> [String] {
            side.ways.compactMap { $0.time == nil ? nil : $0.transport }
        }

        @Test("Two devices that offer nothing hear each other, and each transport connects in both directions")
        func eachWay() async throws {
            try await World.withPair(tcp: true, clock: SystemClock()) { _, berta in
                let probe = try await berta.service.probe("anna")
                #expect(probe.answer.deviceName == "anna")
                for report in [probe.here, probe.there] {
                    #expect(report.hears && !report.isMuted)
                    #expect(leading(report) == ["simulated", "tcp"], "\(report)")
                }
                try await berta.holds(0, of: "probes")
            }
        }

        @Test("A device that offers nothing advertises while another looks for it, and not afterwards")
        func onAir() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                for device in [anna, berta] { #expect(await device.service.advertising.slot.ordinary == nil) }
                let probe = try await berta.service.probe("anna")
                // Neither device heard the other before.
                #expect(probe.here.hears && probe.there.hears)
                #expect(await anna.service.advertising.slot.ordinary != nil)
                try await berta.fallsSilent()
                clock.advance(by: Probes.lastingOnAir)
                try await anna.fallsSilent()
                clock.advance(by: Probes.limit.interval)
                try await anna.holds(0, of: "probes")
            }
        }

        @Test("A device whose radio is slow to advertise still stops advertising after the search for it has ended")
        func slowRadio() async throws {
            try await World.with { world, clock in
                let (anna, radio) = try await world.device("anna", clock: clock, radioProxy: { RefusingRadio($0) })
                let berta = try await world.device("berta", clock: clock)
                try await anna.makeCircle(with: berta)
                try await berta.hearsNobody(clock)
                _ = try await berta.service.ping("anna")
                radio.holdAdvertisements(true)
                let probing = Task { try await berta.service.probe("anna") }
                defer { probing.cancel() }
                try await radio.advertisementWaits()
                clock.advance(by: Probes.lastingOnAir)
                radio.holdAdvertisements(false)
                try await anna.fallsSilent()
            }
        }

        @Test("A hail during a search for another device waits until the search has ended, without a busy loop")
        func hailsWait() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                _ = try await berta.service.probe("anna")
                await berta.service.stop()
                try await anna.linksEnd()
                let ping = Task { try? await anna.service.ping("berta") }
                // A device is hailed if it has no known address, or if dialling it has failed.
                try await anna.until("berta is waited for", after: .sleep) { await anna.service.counts["pings"] == 1 }
                clock.advance(by: HandoffService.pingPatience)
                try await anna.calls()
                #expect(await anna.service.isProbed)
                await anna.service.hail()
                let due = await anna.service.timetable.deadlines[.hails]
                #expect(try #require(due) > clock.uptime)
                clock.advance(by: Probes.lastingOnAir)
                try await anna.until("berta is hailed", after: .traceLine) {
                    await anna.service.advertising.slot.hailed != nil
                }
                clock.advance(by: .seconds(60))
                _ = await ping.value
            }
        }

        @Test("Probes make another device advertise and dial ten times, and then only once in ten minutes")
        func limited() async throws {
            try await World.withReachablePair { _, berta, clock in
                for _ in 0..<Probes.limit.burst { _ = try await berta.service.probe("anna") }
                let refused = await failure(berta, probing: "anna")
                #expect(refused?.reason == Reason(.laptopBusy, ["laptop": "anna"]))
                // Wait ten minutes, and until the connections have ended.
                try await berta.hearsNobody(clock)
                _ = try await berta.service.probe("anna")
                #expect(await failure(berta, probing: "anna") != nil)
            }
        }

        @Test("If TCP fails in one direction, the report distinguishes it from the direction that works")
        func oneWay() async throws {
            try await World.with { world in
                let clock = SystemClock()
                let anna = try await world.device("anna", tcp: true, clock: clock)
                let (berta, tcp) = try await world.device("berta", clock: clock, tcpProxy: { FailingTCP($0) })
                try await anna.makeCircle(with: berta)
                _ = try await berta.service.ping("anna")
                tcp.fail(by: .refused)
                let probe = try await berta.service.probe("anna")
                #expect(leading(probe.here) == ["simulated"])
                #expect(leading(probe.there) == ["simulated", "tcp"])
                let failures = probe.here.ways.compactMap(\.failure)
                #expect(failures == [Reason(.networkSilent, ["laptop": "anna"])])
            }
        }

        @Test("The report of a failed transport comes at the time limit and has no details, and the log has the reason")
        func discreet() async throws {
            try await World.with { world, clock in
                let (anna, tcp) = try await world.device("anna", clock: clock, tcpProxy: { FailingTCP($0) })
                let berta = try await world.device(
                    "berta", tcp: true, clock: clock, wrapTCP: { OneAddressTCP(proxied: $0) })
                try await anna.makeCircle(with: berta)
                _ = try await berta.service.ping("anna")
                tcp.fail(by: .refused)
                // Make sure that only the trial sleeps until this moment.
                clock.advance(by: .milliseconds(1))
                let due = clock.uptime + TransportTrial.timeout
                let device = await berta.identityID
                let end = Watched<Duration?>(nil)
                let trial = Task {
                    defer { end.change { $0 = clock.uptime } }
                    return await anna.service.trials(to: device).first { $0.transport.kind == .tcp }?.discreetWay()
                }
                let line = "anna: notice: asked by berta, it was not reached by tcp: no device answers; a firewall may"
                try await anna.until("the log has the reason", after: .logLine) { anna.signs.hasLine(line) }
                while end.value == nil, !clock.moments.contains(due) { await Task.yield() }
                clock.advance(by: TransportTrial.timeout)
                #expect(await trial.value?.outcome == .failure(TransportTrial.unreached))
                #expect(try #require(end.value) >= due)
            }
        }

        @Test("A device whose radio refuses its advertisements is not heard, but hears the other device")
        func unheard() async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", clock: clock)
                let (berta, radio) = try await world.device("berta", clock: clock, radioProxy: { RefusingRadio($0) })
                try await anna.makeCircle(with: berta)
                try await berta.hearsNobody(clock)
                _ = try await anna.service.invite()
                _ = try await berta.service.ping("anna")
                radio.advertisesNothing = true
                let isAnswered = Mutex(false)
                let probing = Task {
                    defer { isAnswered.withLock { $0 = true } }
                    return try await berta.service.probe("anna")
                }
                try await anna.listens()
                let silence = clock.uptime + SilenceLimits.doubt
                try await eventually("berta counts anna's silence") { clock.moments.contains(silence) }
                // Make sure that only anna's trial sleeps until its limit.
                clock.advance(by: HandoffService.hearingPatience + .milliseconds(1))
                // If berta had to hail, anna reaches berta at the address of the hail. If not, the
                // trial ends at its limit. Only the answer shows which of the two happened.
                let limit = clock.uptime + Dialler.timeout
                try await eventually("anna tries to reach berta") {
                    isAnswered.withLock(\.self) || clock.moments.contains(limit)
                }
                while clock.uptime < limit {
                    // Berta closes a link on which a ping gets no answer, so time passes only after
                    // each answer.
                    let asked = clock.uptime
                    try await eventually("anna answers the ping") {
                        let links = await berta.service.peers.links.open
                        return isAnswered.withLock(\.self) || links.contains { $0.channel.signs.latest == asked }
                    }
                    clock.advance(by: SilenceLimits.doubt)
                }
                let probe = try await probing.value
                #expect(!probe.there.hears && !probe.there.isMuted)
                #expect(probe.here.hears)
            }
        }

        @Test("A device that its user has silenced reports that, and does not advertise")
        func silent() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                await anna.service.advertise(false)
                async let probing = berta.service.probe("anna")
                try await berta.listens()
                try await anna.holds(1, of: "probes")
                #expect(await anna.service.advertising.slot.ordinary == nil)
                clock.advance(by: HandoffService.hearingPatience)
                let probe = try await probing
                #expect(probe.there.isMuted && !probe.here.hears && !probe.here.isMuted)
                #expect(await anna.service.advertising.slot.ordinary == nil)
            }
        }

        @Test("If a full disk stops a device's advertising, a probe reports that, and does not advise to come nearer")
        func silentForWantOfRoom() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.pair(clock: clock)
                await anna.service.stop()
                try FileManager.default.createDirectory(
                    atPath: anna.directory + "/state.new", withIntermediateDirectories: false)
                let again = try await world.device("anna", clock: clock)
                try await again.publish("note")
                try await berta.hearsNobody(clock)
                async let probing = berta.service.probe("anna")
                try await berta.listens()
                try await again.holds(1, of: "probes")
                clock.advance(by: HandoffService.hearingPatience)
                let probe = try await probing
                #expect(probe.there.isMuted && !probe.here.hears && !probe.here.isMuted)
            }
        }

        @Test("If the user turns advertising off during a probe, the device stops advertising at once")
        func silencedMeanwhile() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                _ = try await berta.service.probe("anna")
                await anna.service.advertise(false)
                #expect(await anna.service.advertising.slot.ordinary == nil)
                await anna.service.advertise(true)
                #expect(await anna.service.advertising.slot.ordinary != nil)
            }
        }

        @Test("One program at a time can probe a device, and none while another program pings it")
        func oneAtATime() async throws {
            try await World.withPair(clock: ManualClock()) { _, berta in
                let device = try await berta.service.other(called: "anna").0
                #expect(await berta.service.beginAsking(device))
                #expect(await failure(berta, probing: "anna")?.code == .limitReached)
            }
        }

        @Test("A trial channel that a member does not close is closed after 15 s, and counts until then")
        func trialThatStays() async throws {
            try await World.withReachablePair(clock: SystemClock()) { anna, berta in
                let channel = try await berta.dial(anna)
                channel.send(.trial)
                #expect(try await channel.nextFrame(within: .seconds(30)) == .trial)
                #expect(await anna.service.counts["channelsWaiting"] == 1)
                // A trial channel carries no second frame.
                channel.send(.trial)
                await #expect(throws: ChannelFailure.self) { try await channel.nextFrame(within: .seconds(30)) }
                try await anna.holds(0, of: "probes")
                #expect(await anna.service.counts["channelsWaiting"] == 0)
            }
        }

        @Test("Two devices that probe each other at once both get results")
        func bothAtOnce() async throws {
            try await World.withPair(tcp: true, clock: SystemClock()) { anna, berta in
                async let hers = anna.service.probe("berta")
                async let theirs = berta.service.probe("anna")
                for probe in [try await hers, try await theirs] {
                    #expect(
                        leading(probe.here) == ["simulated", "tcp"] && leading(probe.there) == ["simulated", "tcp"])
                }
            }
        }

        @Test("A device that answers pings but not a probe is reported after 40 s, and its channel is drained")
        func older() async throws {
            #expect(HandoffService.probeTimeout == .seconds(40))
            try await World.withReachablePair { anna, berta, clock in
                let channel = try await berta.dial(anna)
                channel.send(.hello(await berta.service.hello()))
                // Wait for the link to the old berta, so that anna does not dial the present one.
                try await anna.linkBegins(to: berta)
                let isAsked = Watched(false)
                let old = Task {
                    for await frame in channel.frames() {
                        switch frame {
                        case .continueRequest(let request):
                            let error = HandoffError(.noSuchActivity, .activityEnded)
                            channel.send(.continueReply(ContinueReply(id: request.id, result: .failure(error))))
                        case .probeRequest: isAsked.change { $0 = true }
                        case .goodbye: return true
                        default: break
                        }
                    }
                    return false
                }
                async let probing = failure(anna, probing: "berta")
                try await isAsked.wait("the probe") { $0 ? () : nil }
                clock.advance(by: HandoffService.probeTimeout)
                #expect(await probing?.reason?.failure == .probeUnanswered)
                #expect(await old.value, "a goodbye")
            }
        }

        @Test("When the service ends, a waiting probe ends with an error")
        func end() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                await anna.service.advertise(false)
                async let probing = failure(berta, probing: "anna")
                try await berta.listens()
                await berta.service.stop()
                _ = await probing
                #expect(await berta.service.counts["probes"] == 0)
            }
        }

        @Test("A waiting probe whose device leaves the circle fails with a message")
        func left() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                await anna.service.advertise(false)
                async let probing = failure(berta, probing: "anna")
                try await berta.listens()
                let leaving = Task { _ = try await berta.service.leaveCircle() }
                try await berta.until("berta has left", after: .stateWrite) { await berta.service.circle == nil }
                #expect(await probing?.message.isEmpty == false)
                _ = try await leaving.value
            }
        }

        @Test("Devices that can never be probed have the same errors as for a ping")
        func cannot() async throws {
            try await World.withPair { _, berta in
                #expect(await failure(berta, probing: "clara")?.code == .notFound)
                #expect(await failure(berta, probing: "berta")?.code == .invalidArgument)
            }
        }
    }
}

extension Device {
    /// Waits until the device listens for the other device of a probe, and runs no trial.
    fileprivate func listens() async throws {
        // No sign reports the end of a trial by the other device, so count the probes.
        try await holds(2, of: "probes")
    }

    /// Waits until the device advertises nothing except hails and pairings.
    fileprivate func fallsSilent() async throws {
        try await until("silence", after: .traceLine) { await service.advertising.slot.ordinary == nil }
    }
}

extension HandoffService {
    /// Marks a device as awaited, as a program's request does.
    fileprivate func beginAsking(_ device: DeviceID) -> Bool { peers.awaited.begin(device) }
}
