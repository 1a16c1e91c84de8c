// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Synchronization

/// The keys that peers may knock with now, for the handlers that judge knocks on their event loops.
final class Keyring: Sendable {
    private struct Contents {
        var members: [KnockCandidate.ID: PeerCredential] = [:]
        var invitations: [KnockCandidate.ID: PeerCredential] = [:]
        var pairing: PeerCredential?
    }

    private static let pairingID = KnockCandidate.ID.invitation("pairing")

    private let contents = Mutex(Contents())

    /// All keys that a knock may have been made with.
    var candidates: [KnockCandidate] {
        contents.withLock { contents in
            let pairing = contents.pairing.map { [Self.pairingID: $0] } ?? [:]
            return [pairing, contents.members, contents.invitations].flatMap { credentials in
                credentials.map { KnockCandidate(id: $0.key, key: $0.value.key) }
            }
        }
    }

    /// Returns the credential of a candidate, or nil if the candidate has been removed since the
    /// caller read ``candidates``.
    func credential(_ id: KnockCandidate.ID) -> PeerCredential? {
        contents.withLock { $0.members[id] ?? $0.invitations[id] ?? (id == Self.pairingID ? $0.pairing : nil) }
    }

    /// Returns the credential of a member, or nil if the device is not a member.
    func credential(of device: DeviceID) -> PeerCredential? {
        guard let credential = credential(.member(device.short)), credential.peer == .member(device) else { return nil }
        return credential
    }

    /// The key that this device shares with each other member.
    var keys: [DeviceID: PairwiseKey] {
        contents.withLock { contents in
            Dictionary(
                contents.members.values.compactMap { credential in
                    if case .member(let device) = credential.peer { (device, credential.key) } else { nil }
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Replaces the members with all devices of a circle except this one.
    func setMembers(of circle: Circle?, except own: DeviceIdentity) {
        var members: [KnockCandidate.ID: PeerCredential] = [:]
        for (id, member) in circle?.roster.members ?? [:] where id != own.id {
            guard let circle, let key = PairwiseKey(own: own, peer: member.keys, circle: circle.id) else { continue }
            members[.member(id.short)] = .member(id, member.keys, key: key)
        }
        contents.withLock { $0.members = members }
    }

    /// Sets the credential of the other device of a pairing, or removes it with nil.
    func setPairing(_ credential: PeerCredential?) { contents.withLock { $0.pairing = credential } }

    /// Replaces the open invitations, by name.
    func setInvitations(_ invitations: [String: Invitation]) {
        var credentials: [KnockCandidate.ID: PeerCredential] = [:]
        for (name, invitation) in invitations {
            guard let key = PairwiseKey(invitationSecret: invitation.secret) else { continue }
            credentials[.invitation(name)] = .invited(by: name, key: key)
        }
        contents.withLock { $0.invitations = credentials }
    }
}
