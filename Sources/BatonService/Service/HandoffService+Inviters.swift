// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Finds the device that made an invitation (Decisions/0028-inviters-with-private-addresses.md).
extension HandoffService {
    /// The greatest number of unknown advertisers that are dialled for one invitation, those with
    /// the strongest signals first.
    static let maximumStrangersDialled = 4

    /// Dials the device that made an invitation.
    ///
    /// With BlueZ's privacy feature, an adapter advertises under a different address from the one
    /// that the invitation names. So this device also dials nearby advertisers. A stranger gets
    /// only a knock, which it cannot understand.
    func dialInviter(_ named: [Endpoint], credential: PeerCredential) async throws -> SecureChannel {
        try await dialler.race(advertisers(insteadOf: named) + named, credential: credential) {
            // Look again during the race, because the radio may have reported more advertisers.
            await self.advertisers(insteadOf: named)
        }
    }

    /// Returns the endpoints of nearby advertisers, or none if the radio hears an address that the
    /// invitation names.
    private func advertisers(insteadOf named: [Endpoint]) -> [Endpoint] {
        let onRadio = named.filter { transports.range(of: $0) == .radio }
        guard let port = onRadio.first?.port, !onRadio.contains(where: { sightings.strangers.contains($0.address) })
        else {
            return []
        }
        return sightings.strangers.strongest(Self.maximumStrangersDialled)
            .map { radio.endpoint($0, port: port) }
    }
}
