// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// What whoever dials or accepts a channel must know of the peer: the key of its knock, and how its
/// certificate is judged.
struct PeerCredential: Sendable {
    let peer: ChannelPeer
    let key: PairwiseKey
    /// Whether a certificate key, in X9.63 form, is the peer's.
    let accepts: @Sendable (_ certificateKey: [UInt8]) -> Bool

    /// A member of the circle has the key that the roster names.
    static func member(_ device: DeviceID, _ keys: DeviceKeys, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .member(device), key: key) { [pinned = keys.certificateKey] in $0 == pinned }
    }

    /// The other device of a pairing has the key that it has shown.
    static func paired(_ keys: DeviceKeys, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .paired, key: key) { [pinned = keys.certificateKey] in $0 == pinned }
    }

    /// An inviter has the key whose hash stands in its invitation.
    static func inviter(of invitation: Invitation, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .inviter, key: key) { [pin = invitation.certificatePin] in DeviceKeys.pin(of: $0) == pin }
    }

    /// Who is invited may have any key: the request inside TLS must name it, and who has the
    /// invitation's secret is judged by that.
    static func invited(by invitation: String, key: PairwiseKey) -> PeerCredential {
        PeerCredential(peer: .invited(invitation: invitation), key: key) { _ in true }
    }
}
