// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct CircleDeviceStateTests {
    let state: DeviceState

    init() throws {
        var state = DeviceState(identity: DeviceIdentity(), name: "Laptop")
        var circle = try Circle(foundedBy: state.identity, name: "Laptop")
        try circle.add(NumberedDevice(1), by: state.identity)
        state.circle = circle
        state.sequenceReserved = 4_097
        self.state = state
    }

    /// Returns a complete file with a changed message and a valid digest.
    func changed(_ change: (inout WireDeviceState) -> Void) throws -> [UInt8] {
        var message = try WireDeviceState(serializedBytes: Array(state.encoded().dropFirst(44)))
        change(&message)
        let payload = Array(try message.serializedData() as Data)
        return Array("BATON STATE\n".utf8) + Array(SHA256.hash(data: payload)) + payload
    }

    @Test("A device state with a circle survives encoding and decoding")
    func roundTrip() throws {
        let read = try DeviceState(encoded: state.encoded())
        #expect(read.identity.keys == state.identity.keys)
        #expect(read.identity.id == state.identity.id)
        #expect(read.name == "Laptop")
        #expect(read.circle == state.circle)
        #expect(read.sequenceReserved == 4_097)
        #expect(try changed { _ in } == state.encoded())
    }

    @Test("A device state without a circle survives encoding and decoding")
    func roundTripWithoutACircle() throws {
        let alone = DeviceState(identity: DeviceIdentity(), name: "Laptop")
        let read = try DeviceState(encoded: alone.encoded())
        #expect(read.circle == nil)
        #expect(read.sequenceReserved == alone.sequenceReserved)
        #expect(read.identity.id == alone.identity.id)
    }

    @Test("A state file with any damaged byte is rejected")
    func damagedByteIsRefused() throws {
        let encoded = try state.encoded()
        for index in encoded.indices {
            var damaged = encoded
            damaged[index] ^= 1 << UInt8(index % 8)
            expectRefusal(.malformed) { try DeviceState(encoded: damaged) }
        }
    }

    @Test("A state file that is cut, or has an extra byte, is rejected")
    func fileCutAnywhereIsRefused() throws {
        let encoded = try state.encoded()
        for count in encoded.indices {
            expectRefusal(.malformed) { try DeviceState(encoded: Array(encoded.prefix(count))) }
        }
        expectRefusal(.malformed) { try DeviceState(encoded: encoded + [0]) }
    }

    @Test("A state file of a newer version is rejected, and the error names that version")
    func newerVersionIsRefused() throws {
        let encoded = try changed { $0.version = 3 }
        #expect { try DeviceState(encoded: encoded) } throws: { error in
            "\(error)".contains("another version") && "\(error)".contains("format 3")
        }
        let older = try changed { $0.version = 0 }
        expectRefusal(.malformed) { try DeviceState(encoded: older) }
    }

    @Test("A complete state file with invalid keys, name or circle is rejected")
    func keysThatAreNone() throws {
        let changes: [(inout WireDeviceState) -> Void] = [
            { $0.certificatePrivateKey.removeLast() }, { $0.certificatePrivateKey = Data(count: 32) },
            { $0.signingPrivateKey.append(0) }, { $0.agreementPrivateKey = Data() }, { $0.name = "" },
            { $0.circle.secret.removeLast() }, { $0.circle.statements[0].signature.removeLast() },
        ]
        for change in changes {
            let encoded = try changed(change)
            expectRefusal(.malformed) { try DeviceState(encoded: encoded) }
        }
        let forged = try changed { $0.circle.record.number = 9 }
        expectRefusal(.untrusted) { try DeviceState(encoded: forged) }
    }

    @Test("A state file that is too long is rejected before its contents are read")
    func longFileIsNotLookedAt() throws {
        let payload = [UInt8](repeating: 0, count: DeviceState.maximumEncodedLength)
        let encoded = Array("BATON STATE\n".utf8) + Array(SHA256.hash(data: payload)) + payload
        #expect { try DeviceState(encoded: encoded) } throws: { error in "\(error)".contains("not one of Baton's") }
    }

    @Test("Printing a device state shows its id but no secrets")
    func stateDoesNotShowItsSecrets() throws {
        let identity = state.identity
        let secrets = [
            Array(identity.certificateKey.rawRepresentation), Array(identity.signingKey.rawRepresentation),
            Array(identity.agreementKey.rawRepresentation), try #require(state.circle).secret.secretBytes,
        ]
        for text in [shown(state), shown(identity)] {
            for secret in secrets { #expect(!shows(text, secret)) }
            #expect(text.contains(identity.id.description))
        }
    }
}
