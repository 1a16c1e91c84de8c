// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// The peer at the other end of a channel, as its knock and certificate identify it.
enum ChannelPeer: Hashable, Sendable {
    /// A member of the circle.
    case member(DeviceID)
    /// A device that knows the secret of an open invitation.
    case invited(invitation: String)
    /// The other device of a pairing, whose keys are known.
    case paired
    /// The device that made an invitation, seen from the joining side. The invitation pins its key.
    case inviter
}
