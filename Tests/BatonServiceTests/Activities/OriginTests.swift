// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import Foundation
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests activities' origins. Because of them, no rule continues an activity that this device
    /// handed over or has open.
    struct OriginTests {
        private let type = "org.example.note"

        /// Fetches an offer for a rule. Returns nil if this device handed the activity over or has
        /// it open.
        private func continueAsARule(_ device: Device, _ offer: OfferSummary) async throws -> ContinuedActivity? {
            do {
                return try await device.service.continueOffer(
                    offer.offer, timeout: nil, client: Device.app, near: -127)
            } catch let error as BatonError where error.code == .userCancelled {
                return nil
            }
        }

        /// Handles an offer as a rule that continues everything does. Returns whether it continued
        /// the offer.
        private func applyRule(_ device: Device, to offer: OfferSummary) async throws -> Bool {
            guard await !device.service.isFromHere(offer.offer) else { return false }
            guard let continued = try await continueAsARule(device, offer) else { return false }
            try await device.service.accept(continued.continuation, accepted: true, client: Device.app)
            try await device.publish(type)
            return true
        }

        /// Handles an offer as a rule that continues everything does. The app continues the offer
        /// in an activity that it already has. Returns whether the rule continued the offer.
        private func applyRule(
            _ device: Device, to offer: OfferSummary, keeping activity: String, isUpdated: Bool = false
        ) async throws -> Bool {
            guard await !device.service.isFromHere(offer.offer) else { return false }
            guard let continued = try await continueAsARule(device, offer) else { return false }
            try await device.service.accept(continued.continuation, accepted: true, client: Device.app)
            if isUpdated {
                try await device.service.update(activity, needsSave: false, client: Device.app) { $0 }
            } else {
                try await device.service.becomeCurrent(activity, client: Device.app)
            }
            return true
        }

        /// Takes the activity off the air and back, so that the other device forgets the place's
        /// earlier state.
        private func comeBack(_ activity: String, of device: Device, near other: Device) async throws {
            try await device.service.resignCurrent(activity, client: Device.app)
            let name = device.radio.address
            try await other.withdrawal("from \(name)") { $0.deviceName == name }
            try await device.service.becomeCurrent(activity, client: Device.app)
        }

        private func offer(_ device: Device, from name: String) async throws -> OfferSummary {
            try await device.offer("from \(name)") { $0.deviceName == name && $0.type == type }
        }

        @Test("Two laptops whose rules continue everything hand an activity over once, and not forever")
        func twoLaptops() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish(type)
                #expect(try await applyRule(berta, to: offer(berta, from: "anna")))
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
                // Each device now sees the other's offer. Neither device accepts it, however often
                // the rule asks.
                for _ in 0..<3 {
                    #expect(try await !applyRule(anna, to: offer(anna, from: "berta")))
                    #expect(try await !applyRule(berta, to: offer(berta, from: "anna")))
                }
                #expect(await anna.service.isFromHere(try offer(anna, from: "berta").offer))
                #expect(await berta.service.isFromHere(try offer(berta, from: "anna").offer))
            }
        }

        @Test("An offer of a continued activity is reported again once its acceptance has arrived")
        func offeredBeforeItIsReported() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish(type)
                let taken = try await berta.continueOffer(ofType: type)
                try await berta.publish(type)
                let early = try await anna.news("the offer before the report") { event -> OfferSummary? in
                    guard case .offerAppeared(let offer) = event else { return nil }
                    return offer
                }
                #expect(await !anna.service.isFromHere(early.offer))
                try await berta.service.accept(taken.continuation, accepted: true, client: Device.app)
                // The offer itself has not changed, so nothing else would report it.
                let again = try await anna.news("the offer after the report") { event -> OfferSummary? in
                    guard case .offerChanged(let offer) = event else { return nil }
                    return offer
                }
                #expect(again == early)
                #expect(await anna.service.isFromHere(again.offer))
            }
        }

        @Test("A laptop's next activity does not count as the one that was handed to it, even if it has the same type")
        func anotherActivityThere() async throws {
            try await World.withPair { anna, berta, clock in
                try await anna.publish(type)
                #expect(try await applyRule(berta, to: offer(berta, from: "anna")))
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
                let given = try await offer(anna, from: "berta")
                #expect(await anna.service.isFromHere(given.offer))
                let taken = try await offer(berta, from: "anna")
                #expect(await berta.service.isFromHere(taken.offer))
                clock.advance(by: Lineage.settling)
                #expect(await anna.service.isFromHere(given.offer))
                // The user of each device switches to another activity. The offers stay the same.
                for (device, other) in [(berta, anna), (anna, berta)] {
                    let name = device.radio.address
                    let before = await other.service.activity(of: try offer(other, from: name).offer)?.number
                    try await device.publish(type)
                    try await other.until("another number", after: .radioEvent) {
                        await other.service.activity(of: try offer(other, from: name).offer)?.number != before
                    }
                    #expect(await !other.service.isFromHere(try offer(other, from: name).offer))
                }
            }
        }

        @Test("An activity that comes back through a third laptop is known by its origin")
        func threeLaptops() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let clara = try await world.device("clara")
                try await clara.service.joinCircle(anna.service.invite().text)
                try await anna.publish(type)
                #expect(try await applyRule(berta, to: offer(berta, from: "anna")))
                #expect(try await applyRule(clara, to: offer(clara, from: "berta")))
                let back = try await offer(anna, from: "clara")
                // Clara's beacon and hello do not show the origin.
                #expect(await !anna.service.isFromHere(back.offer))
                #expect(try await !applyRule(anna, to: back))
                // The user may continue it, although rules may not.
                _ = try await anna.service.continueOffer(back.offer, timeout: nil, client: Device.app)
            }
        }

        @Test(
            "An app's only activity that becomes current or changes after an acceptance counts as the accepted one",
            arguments: [false, true])
        func twoLaptopsWithAppsThatKeepAnActivity(isUpdated: Bool) async throws {
            try await World.withPair { anna, berta in
                try await anna.publish(type)
                let kept = try await berta.publish(type)
                #expect(
                    try await applyRule(berta, to: offer(berta, from: "anna"), keeping: kept, isUpdated: isUpdated))
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
                #expect(await anna.service.isFromHere(try offer(anna, from: "berta").offer))
                try await comeBack(kept, of: berta, near: anna)
                let back = try await offer(anna, from: "berta")
                #expect(await !anna.service.isFromHere(back.offer))
                #expect(try await !applyRule(anna, to: back))
            }
        }

        @Test("Rules on three laptops whose apps each keep one activity do not hand it around forever")
        func threeLaptopsWithAppsThatKeepAnActivity() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let clara = try await world.device("clara")
                try await clara.service.joinCircle(anna.service.invite().text)
                var kept: [String: String] = [:]
                for device in [anna, berta, clara] { kept[device.radio.address] = try await device.publish(type) }
                for (device, name) in [(berta, "anna"), (clara, "berta")] {
                    let own = try #require(kept[device.radio.address])
                    #expect(try await applyRule(device, to: offer(device, from: name), keeping: own))
                }
                let own = try #require(kept["anna"])
                #expect(try await !applyRule(anna, to: offer(anna, from: "clara"), keeping: own))
            }
        }

        @Test("One of an app's activities counts as the one that was taken over, and the others keep their origins")
        func onlyOneActivityGoesOn() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish(type)
                let other = try await berta.publish(type)
                _ = try await berta.takeOver(type)
                let fresh = try await berta.publish(type)
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
                // Wait until the first offer has ended, so that it does not count as the activity
                // that was handed over.
                _ = try await offer(anna, from: "berta")
                // The user switches to the other window, which does not show the activity that
                // arrived.
                try await berta.service.resignCurrent(fresh, client: Device.app)
                try await comeBack(other, of: berta, near: anna)
                let back = try await offer(anna, from: "berta")
                #expect(await !anna.service.isFromHere(back.offer))
                #expect(try await applyRule(anna, to: back))
            }
        }

        @Test("Another activity of the same type does not count as the one that was handed over")
        func another() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish(type)
                #expect(try await applyRule(berta, to: offer(berta, from: "anna")))
                _ = try await anna.next("wasContinued") { if case .wasContinued = $0 { true } else { nil } }
                let taken = try await offer(anna, from: "berta")
                #expect(await anna.service.isFromHere(taken.offer))
                // The app that took it over leaves, and another app publishes an activity of its
                // own.
                await berta.service.clientLeft(Device.app)
                try await anna.withdrawal(ofType: type)
                try await berta.publish(type, client: ClientID(rawValue: ":1.2"))
                #expect(try await applyRule(anna, to: offer(anna, from: "berta")))
            }
        }

        @Test("An activity that was open here and has ended may be continued again")
        func ended() async throws {
            try await World.withPair { anna, berta in
                try await anna.publish(type)
                let there = try await offer(berta, from: "anna")
                _ = try await berta.takeOver(type)
                let open = try await berta.publish(type)
                #expect(await berta.service.isFromHere(there.offer))
                try await berta.service.invalidate(open, client: Device.app)
                #expect(await !berta.service.isFromHere(there.offer))
                #expect(try await continueAsARule(berta, there) != nil)
            }
        }
    }
}

extension HandoffService {
    fileprivate func isFromHere(_ offer: String) -> Bool { activity(of: offer)?.isFromHere ?? false }
}
