// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Finding the device that has made an invitation
/// (Decisions/0028-inviters-with-private-addresses.md).
extension HandoffService {
    /// How many of them are knocked at for one invitation, the strongest first.
    static let maximumStrangersDialled = 4

    /// Dials whoever made an invitation.
    ///
    /// With BlueZ's privacy on, what an adapter advertises by is not the address that it knows of
    /// itself and names. Then those that advertise nearby are tried: what a stranger hears is a
    /// knock of which it understands nothing.
    func dialInviter(_ named: [Endpoint], credential: PeerCredential) async throws -> SecureChannel {
        try await dialler.race(advertisers(insteadOf: named) + named, credential: credential) {
            // Whom the radio had not told of yet.
            await self.advertisers(insteadOf: named)
        }
    }

    /// Those that advertise, unless one that is named is among them.
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
