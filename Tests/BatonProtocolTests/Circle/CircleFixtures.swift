// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

/// Public keys that differ in their agreement key alone, cheap to make in numbers: the base points of P-256 and Ed25519, and a counter.
func numberedKeys(_ number: UInt32) throws -> DeviceKeys {
    let basePoint = try #require(
        Data(
            base64Encoded: "BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU="))
    return try DeviceKeys(
        certificateKey: Array(basePoint), signingKey: [0x58] + [UInt8](repeating: 0x66, count: 31),
        agreementKey: [UInt8](repeating: 0, count: 28) + withUnsafeBytes(of: number.bigEndian, Array.init))
}

/// A device that nobody can speak for.
func numberedMember(_ number: UInt32) throws -> Member {
    try Member(keys: numberedKeys(number), name: "Laptop \(number)")
}

extension DeviceIdentity {
    /// This device under a name.
    func member(_ name: String = "Laptop") throws -> Member { try Member(keys: keys, name: name) }
}

extension Circle {
    /// Takes in all that another device knows, without being able to make a new secret.
    mutating func merge(_ other: Circle) throws -> Bool {
        try merge(CircleNews(encoded: other.encoded()), by: DeviceIdentity())
    }

    /// The circle as a member who also makes this change to its message would tell it.
    func changed(_ change: (inout WireCircleState) throws -> Void) throws -> [UInt8] {
        var message = try WireCircleState(serializedBytes: encoded())
        try change(&message)
        return Array(try message.serializedData() as Data)
    }
}

extension SecretRecord {
    /// A record in a circle without removals.
    init(number: UInt32, secret: CircleSecret, circle: CircleID, signer: DeviceIdentity) throws {
        let none = Array(SHA256.hash(data: [UInt8]()))
        try self.init(number: number, secret: secret, circle: circle, removals: none, signer: signer)
    }
}

/// Checks that a refusal is a ``CircleError`` of one kind.
func expectRefusal<Result>(
    _ code: CircleError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
    #expect(sourceLocation: sourceLocation) {
        _ = try body()
    } throws: { error in
        (error as? CircleError)?.code == code
    }
}

/// Everything that a value shows of itself when it is printed, logged or dumped.
func shown(_ value: some Any) -> String {
    var text = "\(value) " + String(reflecting: value)
    dump(value, to: &text)
    return text
}

/// Whether a text has the bytes in one of the forms in which Swift shows bytes.
func shows(_ text: String, _ bytes: [UInt8]) -> Bool {
    let decimal = bytes.prefix(4).map(String.init).joined(separator: ", ")
    let hex = bytes.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return [decimal, hex, Data(bytes).base64EncodedString()].contains { text.contains($0) }
}
