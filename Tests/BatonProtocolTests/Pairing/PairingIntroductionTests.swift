// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

/// Tests devices that introduce themselves as other devices after the digits were compared
/// (CVE-2025-66270).
@Suite struct PairingIntroductionTests {
    private let berta = DeviceIdentity()
    private let anna = DeviceIdentity()
    private let other = DeviceIdentity()

    /// Pairs with berta, whose user confirms, and sends berta the result of `answer`.
    ///
    /// `answer` gets a true introduction and the keys.
    private func result(
        _ answer: (inout WirePairingIntroduction, PairingKeys) throws -> Void
    ) throws -> [PairingMachine.Action] {
        var machine = PairingMachine(
            role: .responder, transport: .simulated, identity: berta, name: "berta", circle: nil,
            random: [UInt8](repeating: 2, count: 32))
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        let share = PairingShare(
            random: [UInt8](repeating: 1, count: 32), key: Array(ephemeral.publicKey.rawRepresentation))
        let commit = PairingFormat.magic + PairingFormat.commitment(to: share)
        _ = machine.handle(.opened)
        guard case .send(let theirs)? = machine.handle(.received(commit)).first else { throw Missing() }
        let shown = machine.handle(.received(share.bytes))
        let keys = try #require(
            PairingKeys(
                own: ephemeral, peer: Array(theirs.suffix(32)), messages: commit + theirs + share.bytes,
                transport: .simulated))
        #expect(shown == [.show(digits: keys.digits)])
        _ = machine.handle(.decided(true))
        let plaintext = try PairingAnswer.yes(
            anna, name: "anna", circle: nil, role: .initiator, transcript: keys.transcript)
        var message = try WirePairingAnswer(serializedBytes: plaintext)
        try answer(&message.introduction, keys)
        let changed = try message.serializedData() as Data
        let sealed = try #require(
            PairingKeys.seal(Array(changed), with: keys.initiatorKey, transcript: keys.transcript))
        return machine.handle(.received([UInt8(sealed.count >> 8), UInt8(sealed.count & 0xFF)] + sealed))
    }

    private struct Missing: Error {}

    /// Returns a true introduction of a device, as the initiator of a pairing.
    private func introduction(
        of identity: DeviceIdentity, role: PairingMachine.Role = .initiator, transcript: [UInt8]
    ) throws -> WirePairingIntroduction {
        let plaintext = try PairingAnswer.yes(
            identity, name: "anna", circle: nil, role: role, transcript: transcript)
        return try WirePairingAnswer(serializedBytes: plaintext).introduction
    }

    @Test("A true introduction is accepted")
    func trueIntroductionIsTaken() throws {
        let actions = try result { _, _ in }
        guard case .paired(let device, _)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(device.member.keys == anna.keys && device.member.name == "anna" && device.circle == nil)
    }

    @Test("An introduction signed by other keys is rejected")
    func signedByOtherKeys() throws {
        let actions = try result { message, keys in
            message.signature = try introduction(of: other, transcript: keys.transcript).signature
        }
        #expect(actions == [.fail(.malformed)])
    }

    @Test("An introduction signed for another pairing is rejected")
    func signedForAnotherPairing() throws {
        let actions = try result { message, keys in
            message = try introduction(of: anna, transcript: keys.transcript.reversed())
        }
        #expect(actions == [.fail(.malformed)])
    }

    /// A device cannot send back the introduction that it received in the same pairing.
    @Test("An introduction signed for the other role is rejected")
    func signedForTheOtherRole() throws {
        let actions = try result { message, keys in
            message = try introduction(of: anna, role: .responder, transcript: keys.transcript)
        }
        #expect(actions == [.fail(.malformed)])
    }

    /// The signature covers the whole introduction: keys, name and circle.
    @Test("An introduction that differs from what was signed is rejected")
    func changedIntroduction() throws {
        let changes: [(inout WirePairingIntroduction) -> Void] = [
            { $0.certificateKey = Data(other.keys.certificateKey) }, { $0.signingKey = Data(other.keys.signingKey) },
            { $0.agreementKey = Data(other.keys.agreementKey) }, { $0.name = "berta" },
            { $0.circle = Data(CircleID(founder: other.id).bytes) }, { $0.signature = Data() },
            { $0.signature[0] ^= 1 },
        ]
        for (number, change) in changes.enumerated() {
            let actions = try result { message, _ in change(&message) }
            #expect(actions == [.fail(.malformed)], "change \(number)")
        }
    }
}
