// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging

/// Coming back: a device that was removed from its circle and does not know it joins that circle
/// again, as a new device. Its old keys, and the circle as it knew it, are given up in the one
/// write that keeps the new ones, and only for a removal that holds by what this device knows
/// itself (Decisions/0052-coming-back.md).
extension HandoffService {
    /// Whether an invitation is to the circle that this device is in, and by another device.
    func isToOwnCircle(_ invitation: Invitation) -> Bool {
        invitation.circle == circle?.id
    }

    /// Has channels show the key of the device that this one is to become. Until
    /// ``endReturn(of:)``, members know it by none.
    func beginReturn(as new: DeviceIdentity) throws {
        guard pairings.returning == nil else {
            throw BatonError(.limitReached, "this device is coming back to its circle already")
        }
        try channels.certificate.renew(identity: new)
        pairings.returning = new
        logger.info("if it was removed, this device comes back as \(new.id)")
    }

    /// It has come back, or it has not: channels show the key of the device that it is.
    func endReturn(of new: DeviceIdentity) {
        guard pairings.returning?.id == new.id else { return }
        pairings.returning = nil
        do {
            try channels.certificate.renew(identity: identity)
        } catch {
            logger.error("this device's certificate could not be made, start batond again: \(error)")
        }
    }

    /// The circle with the new device in it, as this device knows it and as it is told now.
    ///
    /// - Throws: ``BatonError/Code/alreadyInCircle`` when this device was not removed from it;
    ///   ``ChannelFailure/violation(_:)``, `CircleError`.
    func circleReturned(_ encoded: [UInt8], as new: DeviceIdentity) throws -> Circle {
        guard var circle else { throw BatonError(.pairingFailed, "this device left its circle meanwhile; try again") }
        _ = try circle.merge(CircleNews(encoded: encoded), by: new)
        guard circle.roster.members[identity.id] == nil else {
            throw BatonError(
                .alreadyInCircle,
                "this device is in that circle, and as far as the other one knows it was not removed; nothing has changed"
            )
        }
        // Who was removed itself may say that others were, but takes nobody in.
        guard circle.roster.members[new.id] != nil else {
            throw ChannelFailure.violation("who takes this device in is no member of its circle")
        }
        return circle
    }

    /// What was the former device's, and is nobody's any more.
    func dropFormerDevice() {
        for link in peers.links.open {
            link.channel.close()
            peers.links.retire(link)
        }
        for pair in streams.all { pair.handle.stop() }
        peers.dials.drop(PeerLink.unavailable)
        peers.directory.forgetDials()
        advertising.hails.beginAnew(at: clock.uptime)
        forgetFormerDevice()
    }
}
