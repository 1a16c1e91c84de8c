// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The pairing advertisements of other devices.
extension HandoffService {
    func pairingHeard(_ advert: PairingAdvert, at address: String) {
        guard let run = pairing, !run.isOver, let own = run.advert, advert.nonce != own.nonce,
            pairingSightings.counts(advert)
        else { return }
        // A device that began anew is no third one.
        for (nonce, before) in run.heard where before.address == address && nonce != advert.nonce {
            run.heard[nonce] = nil
        }
        let isNew = run.heard.updateValue(.init(advert: advert, address: address), forKey: advert.nonce) == nil
        guard isNew else { return }
        guard run.heard.count == 1 else {
            run.input.yield(.crowd)
            return
        }
        run.input.yield(.settled, at: clock.uptime + Self.pairingSettling, clock)
    }

    /// Has the advertisement of the device that a run has spoken to count no more.
    func forgetPeer(of run: PairingRun) {
        // Where it is not certain that the one that was heard is the one that was spoken to, nothing is forgotten.
        guard run.isAnswered, let wire = run.wire, wire.transport == radio.kind, let own = run.advert,
            run.heard.count == 1, let peer = run.heard.values.first?.advert, own.dials(peer) == wire.isDialled,
            // Anybody may have dialled and said something; digits are shown to who goes on with it.
            wire.isDialled || run.hasShown
        else { return }
        pairingSightings.spokenTo(peer)
    }
}
