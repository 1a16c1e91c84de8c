// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    /// Tests whether another device answers a ping, over which transport, and the reason if it does
    /// not answer.
    struct PingTests {
        private func failure(_ device: Device, pinging name: String) async -> BatonError? {
            await #expect(throws: BatonError.self) { try await device.service.ping(name) }
        }

        private func hears(_ device: Device, _ name: String) async -> Bool {
            await device.service.members.contains { $0.name == name && $0.isNear }
        }

        @Test("A device answers over a new connection, then over the existing one")
        func answers() async throws {
            try await World.withReachablePair(clock: SystemClock()) { anna, berta in
                try await berta.until("anna is near", after: .radioEvent) { await hears(berta, "anna") }
                let first = try await berta.service.ping("anna")
                #expect(first.device == (await anna.identityID).description && first.deviceName == "anna")
                #expect(first.transport == "simulated" && first.roundTrip > .zero)
                let again = try await berta.service.ping(first.device)
                #expect(again.transport == "simulated" && again.connecting == nil)
            }
        }

        @Test("A device that dials at the same moment answers at once, although this device's own dial gets no answer")
        func bothDial() async throws {
            try await World.with { world in
                let (gate, clock) = (HeldRadio.Gate(), ManualClock())
                let anna = try await world.device("anna", clock: clock, wrap: { HeldRadio($0, gate: gate) })
                let berta = try await world.device("berta", clock: clock)
                try await anna.makeCircle(with: berta)
                try await Device.endLinks(of: anna, berta)
                // A device can be dialled while it has an open invitation.
                _ = try await anna.service.invite()
                try await berta.publish("note")
                try await anna.hearsBeacon(of: berta)
                try await berta.hearsBeacon(of: anna)
                async let answer = anna.service.ping("berta")
                try await gate.dialled()
                #expect(try await berta.service.ping("anna").deviceName == "anna")
                #expect(try await answer.deviceName == "berta")
                #expect(await anna.service.counts["dials"] == 0)
                gate.fail()
            }
        }

        @Test("A ping has no effect on the device that answers, even if that device offers an activity")
        func nothingComesOfIt() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish("note", needsSave: true)
                _ = try await berta.offer(ofType: "note")
                for _ in 0..<20 { _ = try await berta.service.ping("anna") }
                #expect(
                    !anna.untaken.contains {
                        switch $0 {
                        case .willSave, .wasContinued: true
                        default: false
                        }
                    })
                #expect(await berta.service.counts["pings"] == 0)
            }
        }

        @Test(
            "A device that is silent because it offers nothing is hailed by radio, and answers hails once in ten minutes"
        )
        func silent() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                let answer = try await berta.service.ping("anna")
                #expect(answer.transport == "simulated" && answer.connecting != nil)
                try await berta.until("nobody is hailed any more", after: .traceLine) {
                    await berta.service.advertising.slot.hail == nil
                }

                // Further hails do not make the device advertise again.
                clock.advance(by: .seconds(120))
                try await berta.linksEnd()
                async let again = failure(berta, pinging: "anna")
                let caller = await berta.identityID
                try await anna.until("anna hears it", after: .radioEvent, .traceLine) {
                    let heard = await anna.service.peers[caller].addresses.radio(at: clock.uptime)
                    // Wait until the hailed device's dial, if there is one, has ended as well.
                    let isDone = await anna.service.counts["tasks"] == 0
                    let isConnected = await berta.service.counts["openLinks"] != 0
                    return !heard.isEmpty && (isDone || isConnected)
                }
                clock.advance(by: HandoffService.pingTimeout)
                #expect(await again?.code == .connectionUnavailable)

                try await berta.hearsNobody(clock)
                #expect(try await berta.service.ping("anna").transport == "simulated")
            }
        }

        @Test("A device that has just failed to reach this one still comes when it is hailed")
        func triedInVain() async throws {
            try await World.withPair { anna, berta, clock in
                try await berta.hearsNobody(clock)
                let caller = await berta.identityID
                #expect(await anna.service.triesInVain(caller))
                #expect(try await berta.service.ping("anna").transport == "simulated")
            }
        }

        @Test(
            "A ping has a different error for an unknown device, this device, a device out of range, and a missing circle"
        )
        func cannot() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.pair(clock: clock)
                #expect(await failure(berta, pinging: "clara")?.code == .notFound)
                let own = await failure(berta, pinging: "berta")
                #expect(own?.code == .invalidArgument && own?.reason?.failure == .thisLaptop)
                await anna.service.stop()
                try await berta.hearsNobody(clock)
                // The device is hailed until the limit.
                async let waiting = failure(berta, pinging: "anna")
                try await berta.calls()
                clock.advance(by: HandoffService.pingTimeout)
                let away = await waiting
                #expect(await berta.service.peers.awaited.hailed.isEmpty)
                #expect(away?.code == .connectionUnavailable)
                #expect(away?.reason == Reason(.calledInVain, ["laptop": "anna"]))
                let alone = try await world.device("alone", clock: clock)
                #expect(await failure(alone, pinging: "anna")?.code == .noCircle)
            }
        }

        @Test("If this device cannot hail because it has no listener, a ping's error does not report a hail")
        func mute() async throws {
            try await World.withPair { _, berta, clock in
                try await berta.hearsNobody(clock)
                await berta.service.shutRadioDoor()
                async let mute = failure(berta, pinging: "anna")
                try await berta.calls()
                clock.advance(by: HandoffService.pingTimeout)
                #expect(await mute?.reason?.failure == .callWaits)
            }
        }

        @Test(
            "A hail does not count if it was not advertised, because of a pairing or because the radio refused it",
            arguments: [true, false])
        func notCalled(isPairing: Bool) async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", clock: clock)
                let (berta, radio) = try await world.device("berta", clock: clock, radioProxy: { RefusingRadio($0) })
                try await anna.makeCircle(with: berta)
                try await berta.hearsNobody(clock)
                let pairing = Task {
                    if isPairing { _ = try await berta.service.pair(address: nil, client: Device.app) }
                }
                defer { pairing.cancel() }
                if isPairing {
                    try await berta.until("berta pairs", after: .traceLine) { await berta.service.isPairingOnAir }
                } else {
                    radio.advertisesNothing = true
                }
                async let called = failure(berta, pinging: "anna")
                try await berta.until("its turn to be hailed", after: .traceLine) {
                    await berta.service.advertising.slot.hail != nil
                }
                clock.advance(by: HandoffService.pingTimeout)
                #expect(await called?.reason?.failure == .callWaits)
            }
        }

        /// Returns a device that can be pinged only by a TCP that can fail, and the device that
        /// pings it.
        private func onTCP(
            _ world: World, _ clock: ManualClock, wrap: (SimulatedRadio) -> any Radio = { $0 }
        ) async throws -> (anna: Device, berta: Device, tcp: FailingTCP) {
            let anna = try await world.device("anna", tcp: true, clock: clock)
            let (berta, tcp) = try await world.device("berta", clock: clock, wrap: wrap, tcpProxy: { FailingTCP($0) })
            try await anna.makeCircle(with: berta)
            try await berta.hearsNobody(clock)
            await berta.service.shutRadioDoor()
            // Announce only one address, because the next would be dialled a moment later, and this
            // clock stands still.
            await berta.service.know(Array(await anna.service.tcpDoor.prefix(1)), of: await anna.identityID)
            return (anna, berta, tcp)
        }

        @Test("Without a radio, a slow dial has 15 s, and with one, the radio may still reach the device")
        func slowDial() async throws {
            for isRadioReady in [false, true] {
                try await World.with { world, clock in
                    let (_, berta, tcp) = try await onTCP(
                        world, clock, wrap: { isRadioReady ? $0 as any Radio : SwitchedRadio() })
                    tcp.fail(by: .held)
                    async let held = berta.service.ping("anna")
                    for await _ in tcp.failures { break }
                    clock.advance(by: SilenceLimits.device - .milliseconds(1))
                    if isRadioReady { try await berta.calls() }
                    tcp.release()
                    #expect(try await held.transport == "tcp")
                    #expect(await berta.service.peers.awaited.hailed.isEmpty)
                }
            }
        }

        @Test("A device that closes the connection counts as present, and is not hailed")
        func hangUp() async throws {
            try await World.with { world in
                let (anna, berta, _) = try await onTCP(world, ManualClock())
                _ = try await anna.service.removeDevice("berta")
                #expect(await failure(berta, pinging: "anna")?.reason == Reason(.hungUp, ["laptop": "anna"]))
                #expect(await berta.service.advertising.slot.hail == nil)
            }
        }

        @Test("When the service ends, a ping that dials or hails ends too", arguments: [true, false])
        func end(isDialling: Bool) async throws {
            try await World.with { world in
                let (anna, berta, tcp) = try await onTCP(world, ManualClock())
                tcp.fail(by: .silent)
                if !isDialling { await berta.service.know([], of: await anna.identityID) }
                async let ended = failure(berta, pinging: "anna")
                if isDialling {
                    for await _ in tcp.failures { break }
                } else {
                    try await berta.calls()
                }
                await berta.service.stop()
                let error = await ended
                #expect(error?.code == .connectionUnavailable)
                #expect(error?.reason?.failure == .ending)
            }
        }

        /// Ends all invitations and unused connections.
        @Test(
            "Over TCP one program can ping at a time, and the error for no answer differs from that for a closed connection"
        )
        func overTCP() async throws {
            try await World.with { world, clock in
                let anna = try await world.device("anna", tcp: true, clock: clock)
                let (berta, tcp) = try await world.device("berta", clock: clock, tcpProxy: { FailingTCP($0) })
                try await anna.makeCircle(with: berta)
                // The open invitation makes the device send a hello with its addresses.
                _ = try await anna.service.invite()
                try await berta.until("anna is near", after: .radioEvent) { await hears(berta, "anna") }
                _ = try await berta.service.ping("anna")
                try await berta.hearsNobody(clock)

                tcp.fail(by: .held)
                async let held = berta.service.ping("anna")
                for await _ in tcp.failures { break }
                #expect(await failure(berta, pinging: "anna")?.code == .limitReached)
                tcp.release()
                let answer = try await held
                #expect(answer.transport == "tcp" && answer.connecting != nil)

                try await berta.hearsNobody(clock)
                // The device's known address no longer works, so the device is dialled over the
                // radio.
                tcp.fail(by: .silent)
                async let called = berta.service.ping("anna")
                try await berta.until("it is asked", after: .sleep) { await berta.service.counts["pings"] != 0 }
                #expect(await berta.service.peers.awaited.hailed.isEmpty)
                clock.advance(by: HandoffService.pingPatience)
                #expect(try await called.connecting != nil)

                // A device answers hails once in ten minutes.
                clock.advance(by: .seconds(120))
                try await berta.linksEnd()
                async let silent = failure(berta, pinging: "anna")
                try await berta.until("it is asked", after: .sleep) { await berta.service.counts["pings"] != 0 }
                clock.advance(by: HandoffService.pingPatience)
                try await berta.calls()
                clock.advance(by: HandoffService.pingTimeout)
                let away = await silent
                #expect(away?.reason == Reason(.calledInVain, ["laptop": "anna"]))

                // The device was removed from the circle, but does not know that.
                let device = await anna.identityID
                let endpoint = try #require(await berta.service.endpoints(of: device).first)
                let credential = try #require(await berta.service.keyring.credential(of: device))
                tcp.fail(by: .held)
                _ = try await anna.service.removeDevice("berta")
                let out = await #expect(throws: HandoffError.self) {
                    try await berta.service.dialler.race([endpoint], credential: credential)
                }
                #expect(out?.code == .connectionUnavailable)
                #expect(out?.reason.failure == .hungUp, "\(String(describing: out))")
            }
        }
    }
}

extension HandoffService {
    /// Sets the state after a dial to a device that has moved.
    fileprivate func triesInVain(_ device: DeviceID) -> Bool {
        peers[device].dialTurns.takeSync(at: clock.uptime)
    }

    /// Closes the radio's listener.
    fileprivate func shutRadioDoor() async {
        await reachability.listeners[.simulated]?.close()
        reachability.listeners = Listeners()
        await radioDoorChanged()
    }

    /// Sets a device's announced addresses.
    fileprivate func know(_ endpoints: [Endpoint], of device: DeviceID) {
        peers[device].addresses.told(endpoints, at: clock.uptime)
    }

    fileprivate var tcpDoor: [Endpoint] { transports.told(reachability.told) }

    fileprivate var isPairingOnAir: Bool { advertising.slot.pairing != nil }
}
