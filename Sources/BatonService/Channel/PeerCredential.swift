// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The key of a peer's knock, and the check of the peer's certificate. Both sides of a channel need
/// this.
struct PeerCredential: Sendable {
    let peer: ChannelPeer
    let key: PairwiseKey
    /// Returns whether a certificate key, in X9.63 form, belongs to the peer.
    let accepts: @Sendable (_ certificateKey: [UInt8]) -> Bool

    /// Returns the credential of a member, whose key the roster names.
    static func member(_ device: DeviceID, _ keys: DeviceKeys, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .member(device), key: key) { [pinned = keys.certificateKey] in $0 == pinned }
    }

    /// Returns the credential of the other device of a pairing, which has shown its key.
    static func paired(_ keys: DeviceKeys, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .paired, key: key) { [pinned = keys.certificateKey] in $0 == pinned }
    }

    /// Returns the credential of an inviter, whose key's hash is in the invitation.
    static func inviter(of invitation: Invitation, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .inviter, key: key) { [pin = invitation.certificatePin] in DeviceKeys.pin(of: $0) == pin }
    }

    /// Returns the credential of an invited device, which may have any key. The request that the
    /// device sends inside TLS must name the same key.
    static func invited(by invitation: String, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .invited(invitation: invitation), key: key) { _ in true }
    }
}
