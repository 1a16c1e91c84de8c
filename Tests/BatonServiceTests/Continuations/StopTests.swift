// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Diagnosis
import Foundation
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests stopping a device that fetches repeatedly and takes nothing over.
    struct StopTests {
        private func fetch(_ times: Int, of type: String = "note", by device: Device) async throws {
            for _ in 0..<times {
                let id = try await device.continueOffer(ofType: type).continuation
                try await device.service.accept(id, accepted: false, client: Device.app)
            }
        }

        private func told(_ device: Device) async throws -> RepeatedFetches {
            try await device.news("repeated fetches") { event in
                if case .fetchedInVain(let fetches) = event { fetches } else { nil }
            }
        }

        @Test("The user learns of a device that fetches an activity repeatedly, and can stop it for an hour")
        func stopped() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish("note")
                try await fetch(1 + UnacceptedFetches.tolerated, by: berta)
                let fetches = try await told(anna)
                #expect(await fetches.device == berta.identityID.description)
                #expect(fetches.deviceName == "berta" && fetches.count == UnacceptedFetches.tolerated)

                let stopped = try await anna.service.stopDevice("berta")
                #expect(stopped.stoppedUntil?.timeIntervalSince1970 == Double(clock.unixTime + 3_600))
                let error = await #expect(throws: BatonError.self) { try await fetch(1, by: berta) }
                #expect(error?.code == .userCancelled && error?.reason?.failure == .stopped)
                #expect(try await anna.service.allowDevice("berta").wasStopped)
                try await fetch(1, by: berta)
                #expect(await anna.service.members.allSatisfy { $0.stoppedUntil == nil })

                _ = try await anna.service.stopDevice("berta")
                clock.advance(by: UnacceptedFetches.stop)
                // The earlier offer is withdrawn and then appears again, because no beacon was
                // heard for an hour.
                try await anna.publish("later")
                try await fetch(1, of: "later", by: berta)
            }
        }

        @Test("A stopped device gets no streams either")
        func noStreams() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note", streams: true)
                let id = try await berta.takeOver("note").continuation
                _ = try await anna.service.stopDevice("berta")
                let error = await #expect(throws: BatonError.self) {
                    _ = try await berta.service.openStreams(id, client: Device.app)
                }
                #expect(error?.reason?.failure == .stopped)
            }
        }

        @Test("Stopping a device also stops the devices that only it took in, whose fetches count for its account")
        func whatItTookIn() async throws {
            try await World.with { world, clock in
                let (anna, berta) = try await world.pair(clock: clock)
                let carla = try await world.device("carla", clock: clock)
                try await carla.service.joinCircle(berta.service.invite().text)
                try await anna.knows(["anna", "berta", "carla"])
                try await anna.publish("note")
                try await fetch(UnacceptedFetches.tolerated, by: carla)
                try await fetch(1, by: berta)
                #expect(try await told(anna).deviceName == "berta")
                _ = try await anna.service.stopDevice("berta")
                let error = await #expect(throws: BatonError.self) { try await fetch(1, by: carla) }
                #expect(error?.code == .userCancelled)
            }
        }

        @Test("A device that takes over the activities that it fetches is not reported")
        func takesOver() async throws {
            try await World.withThree(clock: ManualClock()) { anna, berta, carla in
                try await anna.publish("note")
                for _ in 0..<2 * UnacceptedFetches.tolerated { try await takeOver(by: berta, of: anna) }
                try await fetch(1 + UnacceptedFetches.tolerated, by: carla)
                // The first report is about another device.
                #expect(try await told(anna).deviceName == "carla")
            }
        }

        @Test("Taking an activity over once does not hide repeated fetches")
        func takesOverSometimes() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                try await anna.publish("note")
                try await fetch(UnacceptedFetches.tolerated - 1, by: berta)
                try await takeOver(by: berta, of: anna)
                try await fetch(2, by: berta)
                #expect(try await told(anna).count == UnacceptedFetches.tolerated)
            }
        }

        private func takeOver(by device: Device, of origin: Device) async throws {
            _ = try await device.takeOver("note")
            _ = try await origin.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
        }

        @Test("This device and unknown devices cannot be stopped")
        func others() async throws {
            try await World.withPair(clock: ManualClock()) { anna, _ in
                for name in ["anna", "carla"] {
                    await #expect(throws: BatonError.self) { _ = try await anna.service.stopDevice(name) }
                    await #expect(throws: BatonError.self) { _ = try await anna.service.allowDevice(name) }
                }
            }
        }
    }
}
