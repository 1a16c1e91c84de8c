// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient

/// A pairing by digits of a ``FakeDaemon``, whose result its user decides.
struct FakePairing: Sendable {
    let digits = PairingDigits(pairing: "p1", digits: "012345")
    private let confirmations: AsyncStream<Bool>
    private let confirmed: AsyncStream<Bool>.Continuation

    init() { (confirmations, confirmed) = AsyncStream.makeStream(of: Bool.self) }

    func confirm(same: Bool) { confirmed.yield(same) }

    func completed() async throws -> CircleSummary {
        for await same in confirmations {
            guard same else { throw BatonError(.userCancelled, appMessage: "the digits were not the same") }
            break
        }
        return CircleSummary(
            circle: "cc", device: "aa", deviceName: "desk",
            members: [
                CircleMember(device: "aa", name: "desk", isThisDevice: true), CircleMember(device: "bb", name: "sofa"),
            ])
    }
}

extension FakeDaemon {
    nonisolated func addPairing(to router: inout BusRouter) {
        router.on(CircleInterface.pair) { _, _, _ in
            try await self.check()
            return self.pairing.digits
        }
        router.on(CircleInterface.confirm) { _, same, _ in self.pairing.confirm(same: same) }
        router.on(CircleInterface.paired) { _, _ in try await self.pairing.completed() }
    }
}
