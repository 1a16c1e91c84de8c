// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import Crypto
import Foundation
import L2CAP
@testable import TCPTransport

extension FuzzTarget {
    /// The text of an invitation, from a file or a QR code.
    static let invitation = FuzzTarget("invitation", maximumLength: 9_000) {
        let addresses: [Endpoint] = [
            .init(transport: .l2cap, address: "AA:BB:CC:DD:EE:FF", port: 0x80),
            .init(transport: .tcp, address: "2001:db8::7", port: 4_711),
        ]
        return try [addresses, [addresses[0]]].flatMap { endpoints -> [[UInt8]] in
            let invitation = Invitation(
                from: Fixture.own.keys, name: "own", to: Fixture.circleID, at: 0, endpoints: endpoints)
            let text = Array(try invitation.text().utf8)
            let encoded = Data(base64Encoded: String(decoding: text.dropFirst(19).dropLast(), as: UTF8.self))
            return [[0] + text, [1] + (encoded.map(Array.init) ?? [])]
        }
            + ["A0:B1:C2:D3:E4:F5/random", "192.0.2.7", "::ffff:192.0.2.7", "fe80::1%1"].map { [2] + Array($0.utf8) }
    } body: { input in
        if input.first == 2 { return try address(String(decoding: input.dropFirst(), as: UTF8.self)) }
        // The input is the text, or it is encoded in base64 here, because mutations of encoded text
        // are usually invalid.
        let text =
            input.first == 1
            ? "baton-invitation-1:" + Data(input.dropFirst()).base64EncodedString()
            : String(decoding: input.dropFirst(), as: UTF8.self)
        let invitation = try Invitation(text: text, at: 0)
        try FuzzFinding.unless("limits are held") {
            invitation.endpoints.count <= Invitation.maximumEndpoints
                && invitation.endpoints.allSatisfy { $0.address.utf8.count <= 128 }
                && Member.isValidName(invitation.inviterName) && invitation.expires > 0
        }
        // Reading drops unknown endpoints. If none is left, the invitation cannot be written.
        guard !invitation.endpoints.isEmpty else { return }
        try FuzzFinding.unless("an invitation that was read is written as it was") {
            try Invitation(text: invitation.text(), at: 0) == invitation
        }
    }

    /// Checks an address of an invitation or a hello: only an address of one host may be dialled.
    private static func address(_ text: String) throws {
        if let address = BluetoothAddress(text) {
            try FuzzFinding.unless("a Bluetooth address is written as it was, but for the case of its digits") {
                address.description.lowercased() == text.lowercased()
            }
        }
        try FuzzFinding.unless("an IP address is that of one host, as the kernel spells it") {
            switch IPAddress.host(text, port: 1) {
            case nil: true
            case .v4(let address): (1...223).contains(address.sin_addr.s_addr & 0xFF) && address.sin_port == 256
            case .v6(let address): withUnsafeBytes(of: address.sin6_addr) { $0[0] != 0xFF && $0.contains { $0 != 0 } }
            }
        }
    }

    /// Messages of members about their circle, and the request of a device that joins.
    static let roster = FuzzTarget("roster", maximumLength: 8_192) {
        let circle = try Fixture.circle()
        // The peer adds a third device, once with a proof of its keys and once with another
        // device's proof.
        let third = try Member(keys: Fixture.devices[2].keys, name: "third")
        let said = try [2, 3].map { index in
            try Statement(adding: third, proof: proofs[index].get(), to: circle.id, by: Fixture.peer)
        }
        let bodies = (Array(circle.roster.statements) + said).map { [2] + $0.body }
        return [
            [0] + (try circle.encoded()),
            [1] + (try JoinRequest(Fixture.peer, name: "peer", circle: circle.id).encoded()),
            [3] + [0, 1, 0, 0, 2, 0, 1, 3, 0, 2, 1, 5], [3] + [0, 1, 0, 9, 0, 1, 8, 1, 15, 0, 5, 0, 0, 2, 0],
        ] + bodies
    } body: { input in
        var rest = FuzzInput(input)
        switch rest.byte() % 4 {
        case 0:
            let bytes = rest.remainder()
            let news = try CircleNews(encoded: bytes)
            try merge(news)
            if let circle = try? Circle(encoded: bytes) {
                try FuzzFinding.unless("a circle is kept as it is") {
                    try Circle(encoded: circle.encoded()) == circle
                }
            }
        case 1:
            let request = try JoinRequest(encoded: rest.remainder(), circle: Fixture.circleID)
            try FuzzFinding.unless("a request that was read is written as it was") {
                try JoinRequest(encoded: request.encoded(), circle: Fixture.circleID) == request
            }
        case 2:
            // Sign the input, because a member may sign any statement.
            var message = try Fixture.circle().message
            var statement = WireStatement()
            statement.body = Data(rest.remainder())
            let signed = Array("baton statement 1".utf8) + Fixture.circleID.bytes + Array(statement.body)
            statement.signature = Data(try Fixture.peer.signature(for: signed))
            message.statements.append(statement)
            try merge(CircleNews(message))
        default:
            try order(rest.remainder())
        }
    }

    private static func merge(_ news: CircleNews) throws {
        var own = try Fixture.circle()
        let before = own
        do {
            guard try own.merge(news, by: Fixture.own) else {
                return try FuzzFinding.unless("what changes nothing changes nothing") { own == before }
            }
        } catch {
            return try FuzzFinding.unless("what is refused changes nothing") { own == before }
        }
        try FuzzFinding.unless("nothing is lost by merging but former names") {
            let lost = before.roster.statements.subtracting(own.roster.statements)
            return lost.allSatisfy(\.isOwnNaming) && before.roster.ever.keys.allSatisfy { own.roster.ever[$0] != nil }
        }
        let merged = own
        try FuzzFinding.unless("merging again changes nothing") {
            try !own.merge(news, by: Fixture.own) && own == merged
        }
        try FuzzFinding.unless("a circle that was merged can be told") {
            try merged.roster.members[Fixture.own.id] == nil || Circle(encoded: merged.encoded()) == merged
        }
    }

    /// Each device's proof of its keys. They are made once, because every signature of the
    /// certificate key is different.
    private static let proofs = Fixture.devices.map { device in
        Result { try KeyProof(of: device, in: Fixture.circleID) }
    }

    /// Makes devices add and remove each other. Three bytes describe one statement.
    private static func order(_ program: [UInt8]) throws {
        var rest = FuzzInput(Array(program.prefix(24)))
        let known = Array(try Fixture.circle().roster.statements)
        var statements = known
        var removed: Set<DeviceID> = []
        while !rest.isEmpty {
            let (operation, subject, detail) = (rest.byte(), Int(rest.byte() % 4), rest.byte())
            let (signer, device) = (Fixture.devices[Int(operation >> 1) % 4], Fixture.devices[subject])
            if operation & 1 == 0 {
                let member = try Member(keys: device.keys, name: "device \(detail)")
                statements.append(
                    try Statement(
                        adding: member, proof: proofs[subject].get(), to: Fixture.circleID, by: signer,
                        revision: UInt32(operation >> 3)))
            } else {
                let stays = Set(Fixture.devices.indices.filter { detail >> $0 & 1 == 1 }.map { Fixture.devices[$0].id })
                statements.append(try Statement(removing: device.id, stays: stays, from: Fixture.circleID, by: signer))
            }
        }
        let roster = try Roster(circle: Fixture.circleID, statements: statements)
        for statement in roster.statements { if case .remove(let gone, _) = statement.kind { removed.insert(gone) } }
        try FuzzFinding.unless("who was removed is out") { removed.isDisjoint(with: roster.members.keys) }
        try FuzzFinding.unless("the order of statements does not matter") {
            var piecemeal = try Roster(circle: Fixture.circleID, statements: known)
            for statement in statements.reversed() { try piecemeal.merge([statement]) }
            // Merging drops a statement whose signer is not yet a member. A member's next news
            // contains the statement again.
            try piecemeal.merge(statements)
            return try piecemeal == roster
                && Roster(circle: Fixture.circleID, statements: statements.reversed()) == roster
        }
    }

    /// The state file, and its contents with a valid checksum.
    static let state = FuzzTarget("state", maximumLength: 8_192) {
        var state = DeviceState(identity: Fixture.own, name: "own")
        var seeds = [try state.encoded()]
        state.circle = try Fixture.circle()
        state.acknowledged = [Fixture.peer.id]
        (state.inTouch, state.sequenceReserved, state.wasRemoved) = (Fixture.moment, 1_024, true)
        seeds.append(try state.encoded())
        seeds.append(try state.encoded(version: DeviceState.unprovedVersion))
        return seeds.flatMap { [[0] + $0, [1] + $0.dropFirst(magic.count + SHA256.byteCount)] }
    } body: { input in
        let contents = Array(input.dropFirst())
        let file = input.first == 1 ? magic + Array(SHA256.hash(data: contents)) + contents : contents
        let state = try DeviceState(encoded: file)
        try FuzzFinding.unless("a state that was read is written as it was") {
            let encoded = try state.encoded()
            return try DeviceState(encoded: encoded).encoded() == encoded
        }
    }

    private static let magic = Array("BATON STATE\n".utf8)
}
