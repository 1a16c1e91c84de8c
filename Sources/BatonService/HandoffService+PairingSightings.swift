// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// The pairing advertisements of other devices.
extension HandoffService {
    /// How many addresses with pairing advertisements are remembered.
    static let maximumPairingSightings = 16

    func rememberPairing(_ advert: PairingAdvert, at address: String) {
        guard !metPairingNonces.contains(advert.nonce) else { return }
        guard pairingSightings[address] != nil || pairingSightings.count < Self.maximumPairingSightings else { return }
        pairingSightings[address] = advert
    }

    func pairingHeard(_ advert: PairingAdvert, at address: String) {
        guard let run = pairing, !run.isOver, let own = run.advert, advert.nonce != own.nonce,
            !metPairingNonces.contains(advert.nonce)
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

    /// Has the advertisement of the device that a run has spoken to count no more: that is over with the first message (Pairing.md), but a
    /// radio may say so half a minute later, and with private addresses the device's next run is heard at another address.
    func forgetPeer(of run: PairingRun) {
        // Where it is not certain that the one that was heard is the one that was spoken to, nothing is forgotten.
        guard run.isAnswered, let wire = run.wire, wire.transport == radio.kind, let own = run.advert,
            run.heard.count == 1, let peer = run.heard.values.first?.advert, own.dials(peer) == wire.isDialled,
            // Anybody may have dialled and said something; digits are shown to who goes on with it.
            wire.isDialled || run.hasShown
        else { return }
        pairingSightings = pairingSightings.filter { $0.value.nonce != peer.nonce }
        metPairingNonces = [peer.nonce] + metPairingNonces.prefix(Self.maximumPairingSightings - 1)
    }
}
