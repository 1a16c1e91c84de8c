// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SwiftProtobuf

/// A device's description of itself, which it sends once its user has confirmed the digits.
public struct PairedDevice: Hashable, Sendable {
    /// The device's keys and name.
    public let member: Member
    /// The device's circle; nil if it is in none.
    public let circle: CircleID?
}

/// Creates and reads the sealed answers of pairing.
enum PairingAnswer {
    private static let label = Array("baton introduction 1".utf8)

    static func yes(
        _ identity: DeviceIdentity, name: String, circle: CircleID?, role: PairingMachine.Role, transcript: [UInt8]
    ) throws -> [UInt8] {
        var introduction = WirePairingIntroduction()
        introduction.certificateKey = Data(identity.keys.certificateKey)
        introduction.signingKey = Data(identity.keys.signingKey)
        introduction.agreementKey = Data(identity.keys.agreementKey)
        introduction.name = name
        introduction.circle = Data(circle?.bytes ?? [])
        introduction.signature = Data(
            try identity.signature(for: signed(role, transcript, identity.id, name, circle)))
        var answer = WirePairingAnswer()
        answer.introduction = introduction
        return Array(try answer.serializedData() as Data)
    }

    static func no() throws -> [UInt8] { Array(try WirePairingAnswer().serializedData() as Data) }

    /// Reads the other side's answer; returns nil for a refusal.
    ///
    /// - Throws: ``CircleError`` when the answer is malformed, or its keys did not sign it for this
    ///   pairing.
    static func read(_ plaintext: [UInt8], role: PairingMachine.Role, transcript: [UInt8]) throws -> PairedDevice? {
        guard let answer = try? WirePairingAnswer(serializedBytes: plaintext) else {
            throw CircleError.malformed("introduction")
        }
        guard answer.hasIntroduction else { return nil }
        let wire = answer.introduction
        let keys = try DeviceKeys(
            certificateKey: Array(wire.certificateKey), signingKey: Array(wire.signingKey),
            agreementKey: Array(wire.agreementKey))
        let circle = CircleID(bytes: wire.circle)
        guard circle != nil || wire.circle.isEmpty else { throw CircleError.malformed("introduction") }
        let member = try Member(keys: keys, name: wire.name)
        guard keys.isSignature(Array(wire.signature), of: signed(role, transcript, keys.id, wire.name, circle)) else {
            throw CircleError.untrusted("the introduction is not signed by its device")
        }
        return PairedDevice(member: member, circle: circle)
    }

    private static func signed(
        _ role: PairingMachine.Role, _ transcript: [UInt8], _ device: DeviceID, _ name: String, _ circle: CircleID?
    ) -> [UInt8] {
        label + [role == .initiator ? 0 : 1] + transcript + device.bytes
            + (circle?.bytes ?? [UInt8](repeating: 0, count: 16))
            + Array(name.utf8)
    }
}
