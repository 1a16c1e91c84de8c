// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Synchronization
import Testing

@testable import BatonService

extension ServiceTests {
    /// Whether two devices hear and reach each other, each way (Session.md, "Probe").
    struct ProbeTests {
        private func failure(_ device: Device, probing name: String) async -> ServiceError? {
            await #expect(throws: ServiceError.self) { try await device.service.probe(name) }
        }

        /// The transports that a device found to lead to the other.
        private func leading(_ report: ProbeReport) -> [String] {
            report.ways.compactMap { way in if case .success = way.outcome { way.transport } else { nil } }
        }

        @Test("Two devices that offer nothing hear each other, and each transport leads both ways")
        func eachWay() async throws {
            try await World.with { world in
                let (_, berta) = try await world.pair(tcp: true, clock: SystemClock())
                let probe = try await berta.service.probe("anna")
                #expect(probe.ping.deviceName == "anna")
                for report in [probe.here, probe.there] {
                    #expect(report.heard != nil && !report.isSilent)
                    #expect(leading(report) == ["simulated", "tcp"], "\(report)")
                }
                try await eventually("nothing is left of it") {
                    await berta.service.counts["probes"] == 0
                }
            }
        }

        @Test("A device is to be heard for as long as it is looked for, and then no more")
        func onAir() async throws {
            try await World.with { world in
                let clock = ManualClock()
                let (anna, berta) = try await world.pair(clock: clock)
                try await berta.hearsNobody(clock)
                for device in [anna, berta] { #expect(await device.service.advertising.slot.ordinary == nil) }
                _ = try await berta.service.probe("anna")
                #expect(await anna.service.advertising.slot.ordinary != nil)
                try await eventually("berta is done") { await berta.service.advertising.slot.ordinary == nil }
                clock.advance(by: Probes.lastingOnAir)
                try await eventually("anna is done") { await anna.service.advertising.slot.ordinary == nil }
                clock.advance(by: Probes.interval)
                #expect(await anna.service.background.count == 0)
            }
        }

        @Test("Nobody has another device advertise and dial without end: three times in three minutes")
        func limited() async throws {
            try await World.with { world in
                let clock = ManualClock()
                let (_, berta) = try await world.reachablePair(clock: clock)
                for _ in 0..<Probes.maximumPerInterval { _ = try await berta.service.probe("anna") }
                let refused = await failure(berta, probing: "anna")
                #expect(refused?.message.contains("asked too often; try again in three minutes") == true)
                clock.advance(by: Probes.interval)
                _ = try await berta.service.probe("anna")
            }
        }

        @Test("TCP that leads nowhere one way is told from that which leads back")
        func oneWay() async throws {
            try await World.with { world in
                let made = Mutex<FailingTCP?>(nil)
                let clock = SystemClock()
                let anna = try await world.device("anna", tcp: true, clock: clock)
                let berta = try await world.device(
                    "berta", tcp: true, clock: clock,
                    wrapTCP: { tcp in
                        let tcp = FailingTCP(tcp)
                        made.withLock { $0 = tcp }
                        return tcp
                    })
                try await anna.service.createCircle(name: "")
                try await berta.service.joinCircle(anna.service.invite().text)
                _ = try await berta.service.ping("anna")
                made.withLock { $0 }?.fail(by: .refused)
                let probe = try await berta.service.probe("anna")
                #expect(leading(probe.here) == ["simulated"])
                #expect(leading(probe.there) == ["simulated", "tcp"])
                let reasons = probe.here.ways.compactMap { way in
                    if case .failure(let error) = way.outcome { error.message } else { nil }
                }
                #expect(reasons.count == 1 && reasons[0].contains("does not answer"), "\(reasons)")
            }
        }

        @Test("A device whose advertisements are refused is not heard, and hears the other")
        func unheard() async throws {
            try await World.with { world in
                let clock = ManualClock()
                let anna = try await world.device("anna", clock: clock)
                let made = Mutex<RefusingRadio?>(nil)
                let berta = try await world.device(
                    "berta", clock: clock,
                    wrap: { radio in
                        let radio = RefusingRadio(radio)
                        made.withLock { $0 = radio }
                        return radio
                    })
                try await anna.service.createCircle(name: "")
                try await berta.service.joinCircle(anna.service.invite().text)
                try await berta.hearsNobody(clock)
                _ = try await anna.service.invite()
                _ = try await berta.service.ping("anna")
                made.withLock { $0?.advertisesNothing = true }
                async let probing = berta.service.probe("anna")
                try await eventually("anna listens") { await anna.service.counts["probes"] == 2 }
                clock.advance(by: HandoffService.hearingPatience)
                let probe = try await probing
                #expect(probe.there.heard == nil && !probe.there.isSilent)
                #expect(probe.here.heard != nil)
            }
        }

        @Test("A device whose user wants silence says so, and is not made to advertise")
        func silent() async throws {
            try await World.with { world in
                let clock = ManualClock()
                let (anna, berta) = try await world.pair(clock: clock)
                try await berta.hearsNobody(clock)
                await anna.service.advertise(false)
                async let probing = berta.service.probe("anna")
                try await eventually("berta listens") { await berta.service.counts["probes"] == 2 }
                try await eventually("anna has answered") { await anna.service.counts["probes"] == 1 }
                #expect(await anna.service.advertising.slot.ordinary == nil)
                clock.advance(by: HandoffService.hearingPatience)
                let probe = try await probing
                #expect(probe.there.isSilent && probe.here.heard == nil && !probe.here.isSilent)
            }
        }

        @Test("What can never be probed is told as for a ping")
        func cannot() async throws {
            try await World.with { world in
                let (_, berta) = try await world.pair()
                #expect(await failure(berta, probing: "clara")?.code == .notFound)
                #expect(await failure(berta, probing: "berta")?.code == .invalidArgument)
            }
        }
    }
}
