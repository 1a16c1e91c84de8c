// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// Who is at the other end of a channel, as knock and certificate have shown.
enum ChannelPeer: Hashable, Sendable {
    /// A member of the circle.
    case member(DeviceID)
    /// Somebody who holds the secret of an open invitation.
    case invited(invitation: String)
    /// The other device of a pairing, whose keys are known.
    case paired
    /// The device that an invitation pins, seen from the joining side.
    case inviter
}
