// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

/// A device that differs from others of this type only in its agreement key.
///
/// Such devices are cheap to create in large numbers.
struct NumberedDevice {
    let member: Member
    private let certificateKey: P256.Signing.PrivateKey
    private let signingKey: Curve25519.Signing.PrivateKey

    init(_ number: UInt32) throws {
        let seed = [UInt8](repeating: 1, count: 32)
        certificateKey = try P256.Signing.PrivateKey(rawRepresentation: seed)
        signingKey = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        let keys = try DeviceKeys(
            certificateKey: Array(certificateKey.publicKey.x963Representation),
            signingKey: Array(signingKey.publicKey.rawRepresentation),
            agreementKey: [UInt8](repeating: 0, count: 28) + withUnsafeBytes(of: number.bigEndian, Array.init))
        member = try Member(keys: keys, name: "Laptop \(number)")
    }

    var id: DeviceID { member.keys.id }

    func proof(in circle: CircleID) throws -> KeyProof {
        try KeyProof(of: id, in: circle, certificateKey: certificateKey, signingKey: signingKey)
    }

    func request(to circle: CircleID) throws -> JoinRequest {
        var message = WireJoinRequest()
        message.keys = member.keys.message
        message.name = member.name
        message.proof = try proof(in: circle).message
        return try JoinRequest(encoded: Array(try message.serializedData() as Data), circle: circle)
    }
}

extension DeviceIdentity {
    /// Returns this device as a member with a name.
    func member(_ name: String = "Laptop") throws -> Member { try Member(keys: keys, name: name) }
}

extension Statement {
    /// Creates a statement by which `signer` adds a device that proves its keys.
    init(
        adding device: DeviceIdentity, _ name: String = "Laptop", to circle: CircleID, by signer: DeviceIdentity,
        revision: UInt32 = 0
    ) throws {
        try self.init(
            adding: device.member(name), proof: KeyProof(of: device, in: circle), to: circle, by: signer,
            revision: revision)
    }

    init(adding device: NumberedDevice, to circle: CircleID, by signer: DeviceIdentity) throws {
        try self.init(adding: device.member, proof: device.proof(in: circle), to: circle, by: signer)
    }
}

extension Circle {
    /// Adds a device that proves its keys.
    mutating func add(_ device: DeviceIdentity, _ name: String = "Laptop", by signer: DeviceIdentity) throws {
        try add(JoinRequest(device, name: name, circle: id), by: signer)
    }

    mutating func add(_ device: NumberedDevice, by signer: DeviceIdentity) throws {
        try add(device.request(to: id), by: signer)
    }

    /// Merges everything that another device knows, without the ability to make a new secret.
    mutating func merge(_ other: Circle) throws -> Bool {
        try merge(CircleNews(encoded: other.encoded()), by: DeviceIdentity())
    }

    /// Returns the encoded circle after a change to its message, as a member could send it.
    func changed(_ change: (inout WireCircleState) throws -> Void) throws -> [UInt8] {
        var message = try WireCircleState(serializedBytes: encoded())
        try change(&message)
        return Array(try message.serializedData() as Data)
    }
}

extension SecretRecord {
    /// Returns a record in a circle without removals.
    init(number: UInt32, secret: CircleSecret, circle: CircleID, signer: DeviceIdentity) throws {
        let none = Array(SHA256.hash(data: [UInt8]()))
        try self.init(number: number, secret: secret, circle: circle, removals: none, signer: signer)
    }
}

/// Checks that a call throws a ``CircleError`` of one kind.
func expectRefusal<Result>(
    _ code: CircleError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
    #expect(sourceLocation: sourceLocation) {
        _ = try body()
    } throws: { error in
        (error as? CircleError)?.code == code
    }
}

/// Returns the text that a value shows when it is printed, logged or dumped.
func shown(_ value: some Any) -> String {
    var text = "\(value) " + String(reflecting: value)
    dump(value, to: &text)
    return text
}

/// Returns whether a text contains the bytes in a form in which Swift prints bytes.
func shows(_ text: String, _ bytes: [UInt8]) -> Bool {
    let decimal = bytes.prefix(4).map(String.init).joined(separator: ", ")
    let hex = bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return [decimal, hex, Data(bytes).base64EncodedString()].contains { text.contains($0) }
}
