// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// A pairing by digits of a ``FakeDaemon``, which ends as its user decides.
struct FakePairing: Sendable {
    let digits = PairingDigits(pairing: "p1", digits: "012345")
    private let confirmations: AsyncStream<Bool>
    private let confirmed: AsyncStream<Bool>.Continuation

    init() { (confirmations, confirmed) = AsyncStream.makeStream(of: Bool.self) }

    func confirm(same: Bool) { confirmed.yield(same) }

    func completed() async throws -> CircleSummary {
        for await same in confirmations {
            guard same else { throw BatonError(.userCancelled, "the digits were not the same") }
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
    func pair(address: String?, anew: Bool, client: ClientID) async throws -> PairingDigits {
        try check()
        return pairing.digits
    }

    func pairByCode(client: ClientID) async throws -> PairingCode { throw BatonError(.failed, "not here") }

    func confirm(pairing: String, same: Bool, client: ClientID) async throws { self.pairing.confirm(same: same) }

    func paired(_ pairing: String, client: ClientID) async throws -> CircleSummary {
        try await self.pairing.completed()
    }
}
