// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import Crypto

extension FuzzTarget {
    /// A peer that pairs, in either role and in any pieces, and the introduction that it has
    /// sealed.
    static let pairing = FuzzTarget("pairing", maximumLength: 2_048) {
        var one = PairingMachine(
            role: .initiator, transport: .tcp, identity: Fixture.peer, name: "one", circle: nil,
            ephemeral: try ephemeral(11), random: Fixture.repeated(7, 32))
        let opening = sent(one.handle(.opened))
        let share = try Fixture.repeated(9, 32) + Array(ephemeral(12).publicKey.rawRepresentation)
        let last = sent(one.handle(.received(share)))
        let introductions = try [nil, Fixture.circleID].map { circle in
            try PairingAnswer.yes(
                Fixture.peer, name: "peer", circle: circle, role: .initiator, transcript: transcript)
        }
        return [
            [0, 1] + FuzzInput.pieces([opening, last]), [0, 0] + FuzzInput.pieces([opening + last]),
            [0, 3] + FuzzInput.pieces([opening, last]),
            [1, 1] + FuzzInput.pieces([share, [0, 20] + Fixture.repeated(1, 20)]), [2] + (try PairingAnswer.no()),
        ] + introductions.map { [2] + $0 }
    } body: { input in
        var rest = FuzzInput(input)
        let mode = rest.byte() % 3
        guard mode < 2 else {
            guard let device = try PairingAnswer.read(rest.remainder(), role: .initiator, transcript: transcript)
            else { return }
            return try FuzzFinding.unless("who introduces itself has a name that may be shown") {
                Member.isValidName(device.member.name)
            }
        }
        let choice = rest.byte()
        let (same, circle) = (choice & 1 == 1, choice & 2 == 2 ? Fixture.circleID : nil)
        let pieces = rest.pieces()
        let role = mode == 0 ? PairingMachine.Role.responder : .initiator
        let cut = try actions(of: role, circle, pieces, same: same)
        let whole = try actions(of: role, circle, [pieces.flatMap(\.self)], same: same)
        try FuzzFinding.unless("pairing is the same in any pieces") { cut == whole }
        try FuzzFinding.unless("nobody pairs, or is heard to have a circle, without a sealed answer") {
            !cut.contains {
                switch $0 {
                case .paired, .fail(.bothInCircles): true
                default: false
                }
            }
        }
        try FuzzFinding.unless("pairing fails once") {
            cut.filter { if case .fail = $0 { true } else { false } }.count <= 1
        }
    }

    private static let transcript = Fixture.repeated(2, 32)

    private static func ephemeral(_ seed: UInt8) throws -> Curve25519.KeyAgreement.PrivateKey {
        try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Fixture.repeated(seed, 32))
    }

    private static func actions(
        of role: PairingMachine.Role, _ circle: CircleID?, _ pieces: [[UInt8]], same: Bool
    ) throws -> [PairingMachine.Action] {
        var machine = PairingMachine(
            role: role, transport: .tcp, identity: Fixture.own, name: "own", circle: circle,
            ephemeral: try ephemeral(13), random: Fixture.repeated(3, 32))
        var actions = machine.handle(.opened)
        for piece in pieces { actions += machine.handle(.received(piece)) }
        return actions + machine.handle(.decided(same)) + machine.handle(.closed(isBroken: false))
    }

    private static func sent(_ actions: [PairingMachine.Action]) -> [UInt8] {
        actions.flatMap { action -> [UInt8] in if case .send(let bytes) = action { bytes } else { [] } }
    }
}
