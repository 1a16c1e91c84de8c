// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import Testing

@testable import BatonService

extension ServiceTests.HandoverLane {
    /// Tests the reports of activities that have left this device.
    struct GivenTests {
        @Test("Every activity that leaves is reported, accepted or not, and no other request is")
        func told() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let given = Watched<[GivenActivity]>([])
                await anna.service.watchGiven { activity in given.change { $0.append(activity) } }
                let activity = try await anna.publish("note")
                let id = try await berta.continueOffer(ofType: "note").continuation
                try await berta.service.accept(id, accepted: false, client: Device.app)
                _ = try await berta.takeOver("note")
                let device = await berta.identityID.description
                let expected = GivenActivity(device: device, deviceName: "berta", application: nil, type: "note")
                #expect(given.value == [expected, expected])
                // Neither a ping nor a stopped device's request is reported.
                _ = try await berta.service.ping("anna")
                _ = try await anna.service.stopDevice("berta")
                await #expect(throws: BatonError.self) { _ = try await berta.continueOffer(ofType: "note") }
                try await anna.service.invalidate(activity, client: Device.app)
                #expect(given.value.count == 2)
            }
        }
    }
}

extension HandoffService {
    fileprivate func watchGiven(_ tell: @escaping @Sendable (GivenActivity) -> Void) { tellGiven = tell }
}
