// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf
import Testing

@testable import BatonProtocol

@Suite struct CircleInvitationTests {
    let inviter = DeviceIdentity()
    let circle: CircleID
    let invitation: Invitation
    let addresses = [
        Endpoint(transport: .l2cap, address: "00:11:22:33:44:55", port: 128),
        Endpoint(transport: .tcp, address: "2001:db8::1", port: 65_535),
    ]

    init() {
        circle = CircleID(founder: inviter.id)
        invitation = Invitation(from: inviter.keys, name: "Laptop", to: circle, at: 1_000_000, endpoints: addresses)
    }

    /// Returns the invitation's text after a change to its message.
    func changed(_ change: (inout WireInvitation) -> Void) throws -> String {
        let encoded = try #require(Data(base64Encoded: String(invitation.text().dropFirst(19).dropLast())))
        var message = try WireInvitation(serializedBytes: encoded)
        change(&message)
        return "baton-invitation-1:" + (try message.serializedData() as Data).base64EncodedString()
    }

    @Test("An invitation is one line of text, and survives encoding and decoding")
    func textRoundTrip() throws {
        let text = try invitation.text()
        #expect(text.hasSuffix("\n"))
        #expect(text.filter { $0 == "\n" }.count == 1)
        let read = try Invitation(text: text, at: 1_000_000)
        #expect(read == invitation)
        #expect(read.endpoints == addresses)
        #expect(read.certificatePin == inviter.keys.certificatePin)
        #expect(read.secret.count == 16)
        #expect(try Invitation(text: "\n  " + text + "\r\n", at: 1_000_000) == invitation)
    }

    @Test("Each invitation has a new secret")
    func secretIsNewEachTime() {
        let other = Invitation(from: inviter.keys, name: "Laptop", to: circle, at: 1_000_000, endpoints: addresses)
        #expect(other.secret != invitation.secret)
    }

    @Test("An invitation is valid for exactly ten minutes")
    func holdsForTenMinutes() throws {
        let text = try invitation.text()
        #expect(try Invitation(text: text, at: 1_000_599) == invitation)
        expectRefusal(.expired) { try Invitation(text: text, at: 1_000_600) }
        expectRefusal(.expired) { try Invitation(text: text, at: .max) }
        #expect(try Invitation(text: changed { $0.expires = .max }, at: 0).expires == .max)
        expectRefusal(.expired) { try Invitation(text: changed { $0.expires = .min }, at: 0) }
    }

    @Test("Malformed text of an invitation is rejected")
    func malformedTextIsRefused() throws {
        let text = try invitation.text()
        let texts = [
            "", "\n", "baton-invitation-1:", "baton-invitation-2:" + text.dropFirst(19), String(text.dropFirst()),
            "baton-invitation-1:" + String(text.dropLast(3)), text + text, text + "x", text.uppercased(),
            "baton-invitation-1:AAAA", "baton-invitation-1: " + text.dropFirst(19),
            text.replacingOccurrences(of: "1:", with: "1:\u{0301}"),
        ]
        for text in texts { expectRefusal(.malformed) { try Invitation(text: text, at: 1_000_000) } }
    }

    @Test("A truncated text is malformed, and a text with another version number belongs to another version")
    func cutOffOrOfAnotherVersion() throws {
        let text = try invitation.text()
        func message(_ text: String) -> String {
            do { return "\(try Invitation(text: text, at: 1_000_000))" } catch { return "\(error)" }
        }
        for cut in ["baton-invitation-1:", "baton-invitation-", "baton-invitation-2", String(text.prefix(24))] {
            #expect(!message(cut).contains("version"))
        }
        #expect(message("baton-invitation-2:" + text.dropFirst(19)).contains("another version of Baton"))
    }

    @Test("An invitation with invalid fields is rejected")
    func fieldsThatDoNotFitAreRefused() throws {
        let changes: [(inout WireInvitation) -> Void] = [
            { $0.version = 1 }, { $0.version = 3 }, { $0.secret.removeLast() }, { $0.secret.append(0) },
            { $0.certificatePin.removeLast() }, { $0.certificatePin.append(0) }, { $0.circle.removeLast() },
            { $0.circle.append(0) }, { $0.inviterName = "" }, { $0.inviterName = "laptop\u{202E}" },
            { $0.inviterName = String(repeating: "n", count: 64) }, { $0.endpoints = [] },
            { $0.endpoints = Array(repeating: $0.endpoints[0], count: 17) },
        ]
        for change in changes {
            let text = try changed(change)
            expectRefusal(.malformed) { try Invitation(text: text, at: 1_000_000) }
        }
        #expect(
            try Invitation(text: changed { $0.endpoints = Array(repeating: $0.endpoints[0], count: 16) }, at: 1_000_000)
                .endpoints.count == 16)
    }

    @Test("An invitation's address is skipped if it names a network interface")
    func addressWithAnInterfaceIsPassedOver() throws {
        let text = try changed {
            var named = $0.endpoints[0]
            (named.transport, named.address) = ("tcp", "fe80::1%eth0")
            $0.endpoints.append(named)
        }
        #expect(try Invitation(text: text, at: 1_000_000).endpoints == invitation.endpoints)
    }

    @Test("A text that is too long for an invitation is rejected before it is read")
    func oversizedTextIsNotLookedAt() throws {
        let text = try invitation.text()
        let room = Invitation.maximumTextLength - text.utf8.count
        #expect(try Invitation(text: text + String(repeating: "\n", count: room), at: 1_000_000) == invitation)
        expectRefusal(.malformed) {
            try Invitation(text: text + String(repeating: "\n", count: room + 1), at: 1_000_000)
        }
    }

    @Test("An invitation names at most 16 endpoints")
    func memberNames16Endpoints() throws {
        let many = Invitation(
            from: inviter.keys, name: "Laptop", to: circle, at: 1_000_000,
            endpoints: (0..<40).map { Endpoint(transport: .tcp, address: "192.0.2.1", port: $0) })
        #expect(many.endpoints.map(\.port) == Array(0..<16))
        #expect(try Invitation(text: many.text(), at: 1_000_000) == many)
    }

    /// A newer inviter may name a transport that this device does not know.
    @Test("Endpoints with unknown transports are dropped from an invitation")
    func unknownTransportsAreDropped() throws {
        let text = try changed { message in
            message.endpoints[0].transport = "carrier-pigeon"
        }
        #expect(try Invitation(text: text, at: 1_000_000).endpoints == [addresses[1]])
    }

    @Test("Endpoints with an impossible port or address are dropped from an invitation")
    func wrongEndpointsAreDropped() throws {
        let longest = String(repeating: "a", count: 128)
        let text = try changed { message in
            message.endpoints = Array(repeating: message.endpoints[0], count: 4)
            message.endpoints[0].port = 65_536
            message.endpoints[1].address = longest + "a"
            message.endpoints[2].address = longest
        }
        let read = try Invitation(text: text, at: 1_000_000)
        #expect(read.endpoints.map(\.address) == [longest, "00:11:22:33:44:55"])
    }

    @Test("Printing an invitation does not show its secret")
    func invitationHidesItsSecret() {
        #expect(!shows(shown(invitation), invitation.secret))
        #expect(shown(invitation).contains("Laptop"))
    }
}
