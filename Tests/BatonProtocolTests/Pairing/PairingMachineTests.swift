// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing

@testable import BatonProtocol

/// One side of a pairing under test: a machine and all its actions.
private struct Side {
    var machine: PairingMachine
    var sent: [[UInt8]] = []
    var digits: String?
    var paired: (device: PairedDevice, key: PairwiseKey)?
    var failure: PairingFailure?

    init(
        _ role: PairingMachine.Role, _ identity: DeviceIdentity, name: String = "Laptop", circle: CircleID? = nil,
        transport: TransportKind = .simulated
    ) {
        var generator = SystemRandomNumberGenerator()
        machine = PairingMachine(
            role: role, transport: transport, identity: identity, name: name, circle: circle,
            random: (0..<32).map { _ in generator.next() })
    }

    mutating func handle(_ event: PairingMachine.Event) {
        for action in machine.handle(event) {
            switch action {
            case .send(let bytes): sent.append(bytes)
            case .show(let digits): self.digits = digits
            case .paired(let device, let key): paired = (device, key)
            case .fail(let failure): self.failure = failure
            }
        }
    }

    /// Returns the bytes that this side has sent since the last call.
    mutating func take() -> [UInt8] {
        defer { sent = [] }
        return sent.flatMap(\.self)
    }
}

@Suite struct PairingMachineTests {
    let anna = DeviceIdentity()
    let berta = DeviceIdentity()

    /// Exchanges bytes between the sides until neither sends any more.
    private func connect(_ one: inout Side, _ two: inout Side, pieces: Int = .max) {
        while !one.sent.isEmpty || !two.sent.isEmpty {
            for (from, to) in [(one.take(), true), (two.take(), false)] {
                var rest = from[...]
                while !rest.isEmpty {
                    let piece = Array(rest.prefix(pieces))
                    rest = rest.dropFirst(pieces)
                    if to { two.handle(.received(piece)) } else { one.handle(.received(piece)) }
                }
            }
        }
    }

    private func comparing(
        circle: CircleID? = nil, transports: (TransportKind, TransportKind) = (.simulated, .simulated)
    ) -> (Side, Side) {
        var one = Side(.initiator, anna, name: "anna", circle: circle, transport: transports.0)
        var two = Side(.responder, berta, name: "berta", transport: transports.1)
        one.handle(.opened)
        two.handle(.opened)
        connect(&one, &two)
        return (one, two)
    }

    @Test(
        "Both devices see the same digits, and get each other's keys after both confirmations",
        arguments: [1, 7, 64, Int.max]) func bothSeeTheSameDigits(pieces: Int) throws
    {
        let circle = CircleID(founder: anna.id)
        var one = Side(.initiator, anna, name: "anna", circle: circle)
        var two = Side(.responder, berta, name: "berta")
        one.handle(.opened)
        two.handle(.opened)
        connect(&one, &two, pieces: pieces)
        let digits = try #require(one.digits)
        #expect(digits.count == 6 && digits.allSatisfy(\.isNumber))
        #expect(two.digits == digits)
        #expect(one.machine.isSpent && two.machine.isSpent)
        one.handle(.decided(true))
        connect(&one, &two, pieces: pieces)
        #expect(one.paired == nil && two.paired == nil, "a yes alone is nothing")
        two.handle(.decided(true))
        connect(&one, &two, pieces: pieces)
        let (first, second) = (try #require(one.paired), try #require(two.paired))
        #expect(first.device.member.keys == berta.keys && first.device.member.name == "berta")
        #expect(first.device.circle == nil)
        #expect(second.device.member.keys == anna.keys && second.device.circle == circle)
        #expect(first.key == second.key)
        #expect(one.failure == nil && two.failure == nil)
    }

    @Test(
        "If both devices are in circles, each finds out by itself whether it is the same circle or another",
        arguments: [true, false],
        [true, false])
    func bothAreInCircles(areSame: Bool, initiatorIsLast: Bool) {
        let circle = CircleID(founder: anna.id)
        var one = Side(.initiator, anna, name: "anna", circle: circle)
        var two = Side(.responder, berta, name: "berta", circle: areSame ? circle : CircleID(founder: berta.id))
        one.handle(.opened)
        two.handle(.opened)
        connect(&one, &two)
        if initiatorIsLast { two.handle(.decided(true)) } else { one.handle(.decided(true)) }
        connect(&one, &two)
        #expect(one.failure == nil && two.failure == nil, "nothing before both users have said yes")
        if initiatorIsLast { one.handle(.decided(true)) } else { two.handle(.decided(true)) }
        let (first, second) = (one.take(), two.take())
        two.handle(.received(first))
        one.handle(.received(second))
        #expect(one.failure == .bothInCircles(areSame: areSame) && two.failure == one.failure)
        #expect(one.sent.isEmpty && two.sent.isEmpty && one.paired == nil && two.paired == nil)
        #expect(one.failure?.isAttempt == false)
    }

    @Test("Each pairing has new digits")
    func digitsAreNewEveryTime() {
        let digits = (0..<20).map { _ in comparing().0.digits ?? "" }
        #expect(Set(digits).count > 15)
    }

    @Test("A refusal ends the pairing on both sides and reveals no keys or names")
    func noEndsItOnBothSides() {
        for isInitiator in [true, false] {
            var (one, two) = comparing()
            if isInitiator { two.handle(.decided(true)) } else { one.handle(.decided(true)) }
            connect(&one, &two)
            if isInitiator { one.handle(.decided(false)) } else { two.handle(.decided(false)) }
            connect(&one, &two)
            #expect(one.failure == (isInitiator ? .declinedHere : .declinedThere))
            #expect(two.failure == (isInitiator ? .declinedThere : .declinedHere))
            #expect(one.paired == nil && two.paired == nil)
        }
    }

    /// An attacker between the two devices pairs with each of them, with keys of its own. The
    /// digits differ, and neither introduction is valid for the other pairing.
    @Test("With an attacker in between, the two devices show different digits")
    func manInTheMiddle() throws {
        var same = 0
        for _ in 0..<40 {
            var one = Side(.initiator, anna)
            var two = Side(.responder, berta)
            var (left, right) = (Side(.responder, DeviceIdentity()), Side(.initiator, DeviceIdentity()))
            for event in [PairingMachine.Event.opened] {
                one.handle(event)
                two.handle(event)
                left.handle(event)
                right.handle(event)
            }
            connect(&one, &left)
            connect(&right, &two)
            #expect(one.digits == left.digits && two.digits == right.digits)
            if one.digits == two.digits { same += 1 }
        }
        #expect(same == 0)
    }

    /// Because of the commitment, an attacker cannot wait for the other side's share and then
    /// choose a share that makes the digits equal.
    @Test("The initiator cannot change its share after it has seen the responder's")
    func shareIsCommittedTo() {
        var one = Side(.initiator, anna)
        var other = Side(.initiator, DeviceIdentity())
        var two = Side(.responder, berta)
        one.handle(.opened)
        other.handle(.opened)
        two.handle(.opened)
        two.handle(.received(one.take()))
        other.handle(.received(two.take()))
        let (commit, share) = (other.sent[0].count, other.sent[1])
        #expect(commit == 44 && share.count == 64)
        two.handle(.received(share))
        #expect(two.failure == .brokenCommitment)
        #expect(two.digits == nil)
    }

    @Test("Shares that come back to their sender are rejected")
    func reflectedSharesAreRefused() {
        // The device receives its own bytes.
        var one = Side(.initiator, anna)
        one.handle(.opened)
        _ = one.take()
        var mirror = PairingShareOf(one.machine)
        one.handle(.received(mirror.share()))
        #expect(one.failure == .reflected)
        #expect(one.digits == nil)
    }

    @Test("A device does not pair with itself")
    func deviceDoesNotPairWithItself() {
        var one = Side(.initiator, anna)
        var two = Side(.responder, anna)
        one.handle(.opened)
        two.handle(.opened)
        connect(&one, &two)
        one.handle(.decided(true))
        two.handle(.decided(true))
        connect(&one, &two)
        #expect(one.failure == .reflected || two.failure == .reflected)
        #expect(one.paired == nil && two.paired == nil)
    }

    @Test("The other direction's answer is rejected")
    func answerOfTheOtherDirection() {
        var (one, _) = comparing()
        one.handle(.decided(true))
        one.handle(.received(one.take()))
        #expect(one.failure == .malformed)
    }

    @Test("An ephemeral key of small order is rejected", arguments: DeviceKeysTests.x25519)
    func smallEphemeralKey(hexadecimal: String) {
        let digits = Array(hexadecimal)
        let key = stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
        var one = Side(.initiator, anna)
        one.handle(.opened)
        one.handle(.received(Array("baton pair 2".utf8) + [UInt8](repeating: 3, count: 32) + key))
        #expect(one.failure == .malformed)
        #expect(one.digits == nil)
    }

    @Test("If the two sides see different transports, their digits differ")
    func transportIsInTheTranscript() {
        let (one, two) = comparing(transports: (.tcp, .l2cap))
        #expect(one.digits != nil && one.digits != two.digits)
    }

    @Test("Any flipped bit of the shares changes the digits or ends the pairing")
    func flippedBitsOfTheShares() {
        let reply = 76
        for index in 0..<(reply + 64) {
            var one = Side(.initiator, anna)
            var two = Side(.responder, berta)
            one.handle(.opened)
            two.handle(.opened)
            two.handle(.received(one.take()))
            var answer = two.take()
            if index < reply { answer[index] ^= 4 }
            one.handle(.received(answer))
            var share = one.take()
            if index >= reply, share.count == 64 { share[index - reply] ^= 4 }
            two.handle(.received(share))
            let isEnded = one.failure != nil || two.failure != nil
            #expect(isEnded || one.digits != two.digits, "bit of byte \(index)")
        }
    }

    @Test("Changed answers and answers of impossible lengths are rejected")
    func changedAnswersAreRefused() {
        for index in 0..<40 {
            var (one, two) = comparing()
            one.handle(.decided(true))
            var answer = one.take()
            answer[2 + index] ^= 1
            two.handle(.received(answer))
            #expect(two.failure == .malformed)
        }
        for length in [[0, 0], [0, 15], [4, 1], [0xFF, 0xFF]] as [[UInt8]] {
            var (_, two) = comparing()
            two.handle(.received(length))
            #expect(two.failure == .malformed)
        }
    }

    @Test("A second answer is rejected")
    func secondAnswerIsRefused() {
        var (one, two) = comparing()
        one.handle(.decided(true))
        let answer = one.take()
        two.handle(.received(answer + answer))
        #expect(two.failure == .malformed)
    }

    @Test("An attempt counts as soon as the share was revealed")
    func attemptsCountOnceShown() {
        var two = Side(.responder, berta)
        two.handle(.opened)
        #expect(!two.machine.isSpent)
        var one = Side(.initiator, anna)
        one.handle(.opened)
        #expect(!one.machine.isSpent)
        two.handle(.received(one.take()))
        #expect(two.machine.isSpent)
        one.handle(.received(two.take()))
        #expect(one.machine.isSpent)
    }

    @Test("The first bytes distinguish a pairing from a knock")
    func openingIsToldFromAKnock() {
        let magic = Array("baton pair 2".utf8)
        #expect(PairingMachine.isOpening([]) == nil)
        #expect(PairingMachine.isOpening(Array(magic.dropLast())) == nil)
        #expect(PairingMachine.isOpening(magic) == true)
        #expect(PairingMachine.isOpening(magic + [1, 2]) == true)
        #expect(PairingMachine.isOpening([1]) == false)
        #expect(PairingMachine.isOpening(magic.dropLast() + [0]) == false)
    }

    @Test("Pauses grow with each failure, up to an hour, and end after a success or after their time")
    func pausesGrowWithEachFailure() throws {
        var limiter = PairingLimiter()
        var uptime = Duration.seconds(7)
        for minutes in [1, 4, 16, 60, 60] {
            #expect(limiter.refusedUntil(at: uptime) == nil)
            limiter.failed(at: uptime)
            let end = uptime + .seconds(60 * minutes)
            #expect(limiter.refusedUntil(at: uptime) == end && limiter.refusedUntil(at: end) == nil)
            uptime = end
        }
        uptime += PairingLimiter.memory
        limiter.failed(at: uptime)
        #expect(limiter.refusedUntil(at: uptime) == uptime + .seconds(60))
        limiter.succeeded()
        #expect(limiter.refusedUntil(at: uptime) == nil)
    }

    @Test(
        "A peer that is not Baton gets no digits, and does not count as an attempt",
        arguments: [
            "SSH-2.0-OpenSSH_9.2p1 Debian\r\nInvalid SSH identification string.\r\n"
                + String(repeating: " ", count: 80),
            "baton pair 1",
        ])
    func foreignReplyIsNoAttempt(reply: String) {
        var machine = PairingMachine(
            role: .initiator, transport: .tcp, identity: DeviceIdentity(), name: "anna", circle: nil,
            random: [UInt8](repeating: 1, count: 32))
        _ = machine.handle(.opened)
        #expect(machine.handle(.received(Array(reply.utf8))) == [.fail(.foreign)])
        #expect(!machine.isSpent)
    }

    @Test("An advertisement says only that a device pairs here")
    func advertSaysNothingElse() throws {
        let advert = try #require(PairingAdvert(nonce: [1, 2, 3, 4, 5, 6, 7, 8], psm: 0x80))
        #expect(advert.payload == [2, 1, 2, 3, 4, 5, 6, 7, 8, 0x80])
        #expect(PairingAdvert(payload: advert.payload) == advert)
        for payload in [[], Array(advert.payload.dropLast()), advert.payload + [0], [1] + advert.payload.dropFirst()] {
            #expect(PairingAdvert(payload: payload) == nil)
        }
        #expect(PairingAdvert(nonce: [1], psm: 1) == nil)
        let other = try #require(PairingAdvert(nonce: [1, 2, 3, 4, 5, 6, 7, 9], psm: 0x80))
        #expect(advert.dials(other) && !other.dials(advert) && !advert.dials(advert))
    }
}

/// Finds the share that a machine is going to reveal, which only somebody with a copy of its memory
/// could know in time.
private struct PairingShareOf {
    private var machine: PairingMachine
    init(_ machine: PairingMachine) { self.machine = machine }
    mutating func share() -> [UInt8] {
        // Any share from the other side makes the initiator reveal its own.
        let other = Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation
        let magic = Array("baton pair 2".utf8)
        let actions = machine.handle(.received(magic + [UInt8](repeating: 9, count: 32) + Array(other)))
        if case .send(let share)? = actions.first { return magic + share }
        return []
    }
}
