// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// Lets this device join its circle again, as a new device, after it was removed without learning
/// of the removal.
///
/// One write replaces the device's old keys and circle with the new ones. The write happens only if
/// this device can itself verify the removal (Decisions/0052-coming-back.md).
extension HandoffService {
    /// Returns whether an invitation is to the circle that this device is in.
    func isToOwnCircle(_ invitation: Invitation) -> Bool {
        invitation.circle == circle?.id
    }

    /// Makes channels show the key of the identity that this device will have. Until
    /// ``endReturn(of:)``, this device shows a key that members do not know.
    func beginReturn(as new: DeviceIdentity) throws {
        guard pairings.returning == nil else {
            throw BatonError(.limitReached, .returning)
        }
        try channels.certificate.renew(identity: new)
        pairings.returning = new
        logger.info("if it was removed, this device comes back as \(new.id)")
    }

    /// Makes channels show the key of the present identity again, after this device came back or
    /// failed to.
    func endReturn(of new: DeviceIdentity) {
        guard pairings.returning?.id == new.id else { return }
        pairings.returning = nil
        do {
            try channels.certificate.renew(identity: identity)
        } catch {
            logger.error("this device's certificate could not be made, start batond again: \(error)")
        }
    }

    /// Returns the circle with the new device in it, merged from this device's knowledge and the
    /// other's.
    ///
    /// - Throws: ``BatonError/Code/alreadyInCircle`` when this device was not removed from the
    ///   circle; ``ChannelFailure/violation(_:)``, `CircleError`.
    func circleReturned(_ encoded: [UInt8], as new: DeviceIdentity) throws -> Circle {
        guard var circle else { throw BatonError(.pairingFailed, .leftMeanwhile) }
        _ = try circle.merge(CircleNews(encoded: encoded), by: new)
        guard circle.roster.members[identity.id] == nil else {
            throw BatonError(.alreadyInCircle, .stillInCircle)
        }
        // A device that was removed itself may report other removals, but cannot add a device.
        guard circle.roster.members[new.id] != nil else {
            throw ChannelFailure.violation("who takes this device in is no member of its circle")
        }
        return circle
    }

    /// Closes the channels and forgets the state that belonged to the former device.
    func dropFormerDevice() {
        for link in peers.links.open {
            link.channel.close()
            peers.links.retire(link)
        }
        for pair in streams.all { pair.handle.stop() }
        peers.dials.drop(PeerLink.unavailable)
        peers.changeAll { $0.dialTurns.forget() }
        advertising.beginHailsAnew(at: clock.uptime)
        forgetFormerDevice()
    }
}
