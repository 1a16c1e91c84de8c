// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

/// A device is only added if it has proved its keys.
///
/// An Add of a device with another device's keys has no effect.
@Suite struct KeyProofTests {
    let founder = DeviceIdentity()
    let member = DeviceIdentity()
    let forger = DeviceIdentity()
    let circle: Circle

    init() throws {
        var circle = try Circle(foundedBy: founder, name: "Founder")
        try circle.add(member, "Member", by: founder)
        try circle.add(forger, "Forger", by: founder)
        self.circle = circle
    }

    /// The keys that a forged device has copied from the member.
    struct Copied: OptionSet, Sendable {
        let rawValue: Int
        static let certificate = Copied(rawValue: 1)
        static let signing = Copied(rawValue: 2)
        static let agreement = Copied(rawValue: 4)
    }

    private func keys(_ copied: Copied, of own: DeviceIdentity) throws -> DeviceKeys {
        try DeviceKeys(
            certificateKey: (copied.contains(.certificate) ? member : own).keys.certificateKey,
            signingKey: (copied.contains(.signing) ? member : own).keys.signingKey,
            agreementKey: (copied.contains(.agreement) ? member : own).keys.agreementKey)
    }

    private func roster(adding keys: DeviceKeys, _ proof: KeyProof) throws -> Roster {
        var roster = circle.roster
        try roster.merge([
            Statement(adding: Member(keys: keys, name: "Forged"), proof: proof, to: circle.id, by: forger)
        ])
        return roster
    }

    /// Tries every proof that a forger can make: with its own keys, with the member's keys, and
    /// with halves of both.
    @Test(
        "A device with another device's keys is ignored, whatever its proof",
        arguments: [
            [.certificate], [.signing], [.certificate, .signing], [.certificate, .agreement], [.signing, .agreement],
        ] as [Copied])
    func copiedKeysAreLeftOut(copied: Copied) throws {
        let own = DeviceIdentity()
        let keys = try keys(copied, of: own)
        let proofs = [
            try KeyProof(of: own, in: circle.id), try KeyProof(of: member, in: circle.id),
            try KeyProof(of: keys.id, in: circle.id, certificateKey: own.certificateKey, signingKey: own.signingKey),
        ]
        for one in proofs {
            for other in proofs {
                var mixed = one.message
                mixed.signingSignature = other.message.signingSignature
                #expect(try roster(adding: keys, KeyProof(mixed)) == circle.roster)
            }
        }
    }

    /// The device has proved everything that can be proved. The copied agreement key is useless to
    /// it (``KnockVectorTests/copiedAgreementKey()``).
    @Test("A device with a copied agreement key is added, without any effect on others")
    func copiedAgreementKey() throws {
        let own = DeviceIdentity()
        let keys = try keys(.agreement, of: own)
        let proof = try KeyProof(
            of: keys.id, in: circle.id, certificateKey: own.certificateKey, signingKey: own.signingKey)
        var members = try roster(adding: keys, proof).members
        #expect(members.removeValue(forKey: keys.id) != nil)
        #expect(members == circle.roster.members)
    }

    @Test("A proof for another circle or device is invalid")
    func proofForAnotherIsNone() throws {
        let (own, elsewhere) = (DeviceIdentity(), CircleID(founder: forger.id))
        #expect(try KeyProof(of: own, in: circle.id).holds(for: own.keys, in: circle.id))
        #expect(try !KeyProof(of: own, in: elsewhere).holds(for: own.keys, in: circle.id))
        #expect(try !KeyProof(of: own, in: circle.id).holds(for: own.keys, in: elsewhere))
        #expect(try !KeyProof(of: own, in: circle.id).holds(for: member.keys, in: circle.id))
        #expect(try roster(adding: own.keys, KeyProof(of: own, in: elsewhere)) == circle.roster)
    }

    @Test("A proof of keys with any changed byte is invalid")
    func everyByteOfAProofCounts() throws {
        let own = DeviceIdentity()
        let good = try KeyProof(of: own, in: circle.id).message
        for field in [\WireKeyProof.certificateSignature, \WireKeyProof.signingSignature] {
            for index in 0..<64 {
                var bad = good
                bad[keyPath: field][index] ^= 1
                #expect(try !KeyProof(bad).holds(for: own.keys, in: circle.id), "\(index)")
            }
        }
    }

    /// As with any wrong signature, the order of the statements must not decide who is a member.
    @Test("An Add without a valid proof is ignored, but the rest of the message is used")
    func unprovedAddIsLeftOut() throws {
        let (own, friend) = (DeviceIdentity(), DeviceIdentity())
        let unproved = try Statement(
            adding: own.member(), proof: KeyProof(of: own, in: CircleID(founder: own.id)), to: circle.id, by: forger)
        let statements = [
            unproved, try Statement(adding: friend, to: circle.id, by: own),
            try Statement(adding: friend, to: circle.id, by: member),
        ]
        for order in [statements, statements.reversed()] {
            var roster = circle.roster
            try roster.merge(order)
            #expect(Set(roster.members.keys) == Set(circle.roster.members.keys).union([friend.id]))
            #expect(roster.statements.subtracting(circle.roster.statements) == [statements[2]])
            // A device that proves its keys later is added, and its statements count.
            try roster.merge([Statement(adding: own, to: circle.id, by: founder)] + order)
            #expect(roster.members[own.id] != nil && roster.statements.contains(statements[1]))
        }
    }

    @Test("The founder proves its keys too")
    func founderProvesItsKeysToo() throws {
        let id = CircleID(founder: founder.id)
        let unproved = try Statement(
            adding: founder.member(), proof: KeyProof(of: forger, in: id), to: id, by: founder)
        expectRefusal(.untrusted) { try Roster(circle: id, statements: [unproved]) }
    }

    /// A renaming must prove the keys too, because there is only one form of Add.
    @Test("A renaming without a valid proof is ignored")
    func unprovedRenamingIsLeftOut() throws {
        var renamed = circle.roster
        try renamed.merge([
            Statement(
                adding: member.member("Renamed"), proof: KeyProof(of: forger, in: circle.id), to: circle.id, by: member,
                revision: 1)
        ])
        #expect(renamed == circle.roster)
    }

    @Test("An Add without a proof, or with a proof of another length, is malformed")
    func addWithoutAProof() throws {
        let changes: [(inout WireAdd) -> Void] = [
            { $0.clearProof() }, { $0.proof = WireKeyProof() }, { $0.proof.signingSignature = Data() },
            { $0.proof.certificateSignature.removeLast() }, { $0.proof.certificateSignature.append(0) },
            { $0.proof.signingSignature.removeLast() }, { $0.proof.signingSignature.append(0) },
        ]
        for change in changes {
            let encoded = try circle.changed { message in
                var body = try WireStatementBody(serializedBytes: message.statements[0].body)
                change(&body.add)
                message.statements[0].body = try body.serializedData()
            }
            #expect { try CircleNews(encoded: encoded) } throws: { error in
                (error as? CircleError)?.code == .malformed && "\(error)".contains("earlier versions")
            }
        }
    }
}
