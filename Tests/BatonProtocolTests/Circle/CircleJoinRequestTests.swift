// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct CircleJoinRequestTests {
    let joiner = DeviceIdentity()
    let circle = CircleID(founder: DeviceIdentity().id)
    let request: JoinRequest

    init() throws { request = try JoinRequest(joiner, name: "Laptop", circle: circle) }

    func changed(_ change: (inout WireJoinRequest) -> Void) throws -> [UInt8] {
        var message = try WireJoinRequest(serializedBytes: request.encoded())
        change(&message)
        return Array(try message.serializedData() as Data)
    }

    @Test("A join request survives encoding and decoding")
    func roundTrip() throws {
        let read = try JoinRequest(encoded: request.encoded(), circle: circle)
        #expect(read == request)
        #expect(read.member == (try joiner.member("Laptop")))
    }

    @Test("A join request to another circle is rejected")
    func requestToAnotherCircle() throws {
        let encoded = try request.encoded()
        expectRefusal(.untrusted) { try JoinRequest(encoded: encoded, circle: CircleID(founder: joiner.id)) }
    }

    @Test("A join request that does not prove its keys is rejected")
    func requestWithoutProof() throws {
        let other = DeviceIdentity()
        let changes: [(inout WireJoinRequest) -> Void] = [
            { $0.proof.certificateSignature[0] ^= 1 }, { $0.proof.certificateSignature[63] ^= 1 },
            { $0.proof.signingSignature[0] ^= 1 }, { $0.proof.signingSignature[63] ^= 1 },
            { $0.keys.certificateKey = Data(other.keys.certificateKey) },
            { $0.keys.signingKey = Data(other.keys.signingKey) },
            { $0.keys.agreementKey = Data(other.keys.agreementKey) },
        ]
        for change in changes {
            let encoded = try changed(change)
            expectRefusal(.untrusted) { try JoinRequest(encoded: encoded, circle: circle) }
        }
    }

    @Test("A join request is rejected if its naming was signed for anything else, and accepted without any naming")
    func foreignNaming() throws {
        let other = DeviceIdentity()
        let elsewhere = CircleID(founder: joiner.id)
        let namings = [
            try Statement(naming: other, "Laptop", in: circle),
            try Statement(naming: joiner, "Another", in: circle),
            try Statement(naming: joiner, "Laptop", in: elsewhere),
            try Statement(adding: joiner.member("Laptop"), proof: request.proof, to: circle, by: other),
        ]
        for naming in namings {
            let encoded = try changed { $0.naming = naming.message }
            expectRefusal(.untrusted) { try JoinRequest(encoded: encoded, circle: circle) }
        }
        let unsigned = try changed { $0.naming.signature[0] ^= 1 }
        expectRefusal(.untrusted) { try JoinRequest(encoded: unsigned, circle: circle) }
        #expect(try JoinRequest(encoded: changed { $0.clearNaming() }, circle: circle).naming == nil)
    }

    @Test("A join request that is malformed or cut is rejected")
    func malformedRequestIsRefused() throws {
        let changes: [(inout WireJoinRequest) -> Void] = [
            { $0.clearKeys() }, { $0.keys.certificateKey.removeLast() }, { $0.keys.certificateKey[1] ^= 1 },
            { $0.keys.signingKey.append(0) }, { $0.keys.agreementKey.removeLast() }, { $0.name = "" },
            { $0.name = "laptop\u{202E}" }, { $0.name = String(repeating: "n", count: 64) },
            { $0.clearProof() }, { $0.proof.certificateSignature.removeLast() },
            { $0.proof.certificateSignature.append(0) }, { $0.proof.signingSignature.removeLast() },
            { $0.proof.signingSignature = Data(repeating: 0, count: 1_024) },
        ]
        for change in changes {
            let encoded = try changed(change)
            expectRefusal(.malformed) { try JoinRequest(encoded: encoded, circle: circle) }
        }
        let encoded = try request.encoded()
        // An earlier version of Baton sends no naming, which comes last.
        let former = try changed { $0.clearNaming() }.count
        for count in 0..<encoded.count - 2 where count != former {
            #expect(throws: CircleError.self) { try JoinRequest(encoded: Array(encoded.prefix(count)), circle: circle) }
        }
    }
}
