// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Testing

/// Returns bytes with the outer form of a ClientHello of a given length. TLS itself would reject
/// them.
func clientHello(_ count: Int, filledWith byte: UInt8 = 0x5A) -> [UInt8] {
    let record = count - 5
    let message = count - 9
    return [22, 3, 1, UInt8(record >> 8), UInt8(record & 0xFF), 1, 0, UInt8(message >> 8), UInt8(message & 0xFF)]
        + [UInt8](repeating: byte, count: message)
}

@Suite struct KnockTests {
    let key: PairwiseKey
    let otherKey: PairwiseKey
    let hello = clientHello(300)

    init() throws {
        key = try #require(PairwiseKey(bytes: [UInt8](repeating: 1, count: 32)))
        otherKey = try #require(PairwiseKey(bytes: [UInt8](repeating: 2, count: 32)))
    }

    var candidates: [KnockCandidate] {
        [
            KnockCandidate(id: .member(5), key: otherKey), KnockCandidate(id: .member(6), key: key),
            KnockCandidate(id: .invitation("i"), key: otherKey),
        ]
    }

    /// Returns the knock that an initiator sends to a responder.
    func knock(
        to responder: KnockResponder, key: PairwiseKey? = nil, transport: TransportKind = .l2cap, hello: [UInt8]? = nil
    ) throws -> [UInt8] {
        var initiator = KnockInitiator(key: key ?? self.key, transport: transport)
        return try knock(&initiator, to: responder, hello: hello ?? self.hello)
    }

    func knock(_ initiator: inout KnockInitiator, to responder: KnockResponder, hello: [UInt8]) throws -> [UInt8] {
        _ = initiator.start(clientHello: hello)
        guard case .send(let nonce) = try #require(responder.start().first) else { return [] }
        let actions = initiator.received(nonce)
        guard case .send(let bytes) = try #require(actions.first) else { return [] }
        return bytes
    }

    func proves(_ actions: [KnockResponder.Action]) -> KnockCandidate.ID? {
        if case .proved(let id, _, _) = actions.first { id } else { nil }
    }

    @Test("Members prove themselves to each other")
    func membersProveThemselves() throws {
        var responder = KnockResponder(transport: .l2cap)
        var initiator = KnockInitiator(key: key, transport: .l2cap)
        let bytes = try knock(&initiator, to: responder, hello: hello)
        guard case .proved(let id, let answer, let tls) = responder.received(bytes, candidates: { candidates }).first
        else {
            Issue.record("not proved")
            return
        }
        #expect(id == .member(6))
        #expect(answer.count == 16)
        #expect(tls == hello)
        #expect(initiator.received(answer + [1, 2]) == [.proved(leftover: [1, 2])])
        #expect(responder.received([7, 8], candidates: { candidates }) == [.tls([7, 8])])
        #expect(responder.received([], candidates: { candidates }) == [])
    }

    @Test("The bytes of a knock and of its answer may arrive one at a time")
    func bytesMayComeOneByOne() throws {
        var responder = KnockResponder(transport: .tcp)
        var initiator = KnockInitiator(key: key, transport: .tcp)
        var toResponder: [UInt8] = []
        guard case .send(let nonce) = try #require(responder.start().first) else { return }
        for byte in nonce.prefix(8) { #expect(initiator.received([byte]) == []) }
        #expect(initiator.start(clientHello: hello) == [])
        for byte in nonce.dropFirst(8) {
            for case .send(let bytes) in initiator.received([byte]) { toResponder += bytes }
        }
        var actions: [KnockResponder.Action] = []
        for (index, byte) in toResponder.enumerated() {
            actions = responder.received([byte]) {
                #expect(index == toResponder.count - 1, "keys are asked for when a whole knock is there")
                return candidates
            }
        }
        guard case .proved(_, let answer, let tls) = try #require(actions.first) else { return }
        #expect(tls == hello)
        for byte in answer.dropLast() { #expect(initiator.received([byte]) == []) }
        #expect(initiator.received([answer[15]]) == [.proved(leftover: [])])
    }

    @Test("Bytes that follow the knock are passed to TLS")
    func followingBytesGoToTLS() throws {
        var responder = KnockResponder(transport: .l2cap)
        let bytes = try knock(to: responder)
        guard case .proved(_, _, let tls) = responder.received(bytes + [9, 9], candidates: { candidates }).first else {
            Issue.record("not proved")
            return
        }
        #expect(tls == hello + [9, 9])
    }

    @Test("A stranger's channel is closed silently")
    func strangerIsClosedSilently() throws {
        let stranger = try #require(PairwiseKey(bytes: [UInt8](repeating: 3, count: 32)))
        var responder = KnockResponder(transport: .l2cap)
        let bytes = try knock(to: responder, key: stranger)
        #expect(responder.received(bytes, candidates: { candidates }) == [.closeSilently(.unknownKnock)])
        #expect(responder.received(bytes, candidates: { candidates }) == [])
    }

    @Test("No knock matches if there are no candidate keys")
    func nobodyFits() throws {
        var responder = KnockResponder(transport: .l2cap)
        #expect(responder.received(try knock(to: responder), candidates: { [] }) == [.closeSilently(.unknownKnock)])
    }

    @Test("A knock relayed with another ClientHello fails")
    func relayedWithAnotherHello() throws {
        var responder = KnockResponder(transport: .l2cap)
        let bytes = try knock(to: responder)
        let relayed = bytes.prefix(34) + clientHello(300, filledWith: 0x5B)
        #expect(responder.received(Array(relayed), candidates: { candidates }) == [.closeSilently(.unknownKnock)])
    }

    @Test("A knock relayed on another transport fails")
    func relayedOnAnotherTransport() throws {
        for (made, heard) in [(TransportKind.l2cap, TransportKind.tcp), (.tcp, .l2cap), (.simulated, .l2cap)] {
            var responder = KnockResponder(transport: heard)
            let bytes = try knock(to: responder, transport: made)
            #expect(responder.received(bytes, candidates: { candidates }) == [.closeSilently(.unknownKnock)])
        }
    }

    @Test("A knock replayed to another nonce fails")
    func replayedToAnotherNonce() throws {
        let first = KnockResponder(transport: .l2cap)
        let bytes = try knock(to: first)
        var second = KnockResponder(transport: .l2cap)
        #expect(second.received(bytes, candidates: { candidates }) == [.closeSilently(.unknownKnock)])
    }

    @Test("An answer from another channel is rejected")
    func answerOfAnotherChannel() throws {
        var responder = KnockResponder(transport: .l2cap)
        let bytes = try knock(to: responder)
        guard case .proved(_, let answer, _) = responder.received(bytes, candidates: { candidates }).first else {
            return
        }
        var other = KnockInitiator(key: key, transport: .l2cap)
        _ = try knock(&other, to: KnockResponder(transport: .l2cap), hello: hello)
        #expect(other.received(answer) == [.close(.wrongAnswer)])
    }

    @Test("A wrong answer closes the channel, and TLS gets no bytes")
    func wrongAnswerCloses() throws {
        var initiator = KnockInitiator(key: key, transport: .l2cap)
        let bytes = try knock(&initiator, to: KnockResponder(transport: .l2cap), hello: hello)
        // The initiator's own MAC does not count as an answer either.
        #expect(initiator.received(Array(bytes[16..<32]) + [1, 2, 3]) == [.close(.wrongAnswer)])
        #expect(initiator.received([1, 2, 3]) == [])
    }

    @Test("Before the knock the responder may send only its nonce")
    func responderSpeaksTooEarly() {
        var initiator = KnockInitiator(key: key, transport: .l2cap)
        _ = initiator.start(clientHello: hello)
        #expect(initiator.received([UInt8](repeating: 0, count: 17)) == [.close(.unexpectedBytes)])
        var early = KnockInitiator(key: key, transport: .l2cap)
        #expect(early.received([UInt8](repeating: 0, count: 16)) == [])
        #expect(early.received([0]) == [.close(.unexpectedBytes)])
        #expect(early.start(clientHello: hello) == [])
    }

    @Test("A length beyond the limit closes the channel before the bytes arrive")
    func lengthBeyondTheLimit() {
        for length in [0, 4_097, 65_535] {
            var responder = KnockResponder(transport: .l2cap)
            let head = [UInt8](repeating: 0, count: 32) + [UInt8(length >> 8), UInt8(length & 0xFF)]
            #expect(responder.received(head, candidates: { candidates }) == [.closeSilently(.malformedClientHello)])
        }
    }

    @Test("A ClientHello of 4,096 bytes is accepted, and one with a byte more is not")
    func largestClientHello() throws {
        var responder = KnockResponder(transport: .l2cap)
        let bytes = try knock(to: responder, hello: clientHello(4_096))
        #expect(proves(responder.received(bytes, candidates: { candidates })) == .member(6))
        var initiator = KnockInitiator(key: key, transport: .l2cap)
        #expect(initiator.start(clientHello: clientHello(4_097)) == [.close(.malformedClientHello)])
    }

    @Test("Both sides reject bytes that are not a ClientHello")
    func whatIsNoClientHelloIsRefused() throws {
        var wrong: [[UInt8]] = [[], [22], Array(hello.dropLast()), hello + [0]]
        for (index, byte) in [(0, 23), (1, 2), (4, 0), (5, 2), (6, 1), (8, 0)] as [(Int, UInt8)] {
            var changed = hello
            changed[index] = byte
            wrong.append(changed)
        }
        for bytes in wrong {
            var initiator = KnockInitiator(key: key, transport: .l2cap)
            #expect(initiator.start(clientHello: bytes) == [.close(.malformedClientHello)])
            guard !bytes.isEmpty else { continue }
            var responder = KnockResponder(transport: .l2cap)
            let head = [UInt8](repeating: 0, count: 32) + [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            #expect(
                responder.received(head + bytes, candidates: { candidates }) == [.closeSilently(.malformedClientHello)])
        }
    }

    @Test("The keys of at most 128 members, 8 invitations and a pairing are tried")
    func candidatesAreBounded() throws {
        func tried(_ position: Int, _ id: (Int) -> KnockCandidate.ID) throws -> Bool {
            var responder = KnockResponder(transport: .l2cap)
            let bytes = try knock(to: responder)
            let all = (0..<200).map { KnockCandidate(id: id($0), key: $0 == position ? key : otherKey) }
            return proves(responder.received(bytes, candidates: { all })) == id(position)
        }
        #expect(try tried(127) { .member(UInt32($0)) })
        #expect(try !tried(128) { .member(UInt32($0)) })
        #expect(try tried(8) { .invitation("\($0)") })
        #expect(try !tried(9) { .invitation("\($0)") })
    }

    @Test("A knock with the key of an invitation is accepted too")
    func invitationKeyOpensToo() throws {
        let invitation = try #require(PairwiseKey(invitationSecret: [UInt8](repeating: 4, count: 16)))
        var responder = KnockResponder(transport: .simulated)
        let bytes = try knock(to: responder, key: invitation, transport: .simulated)
        let all = candidates + [KnockCandidate(id: .invitation("file"), key: invitation)]
        #expect(proves(responder.received(bytes, candidates: { all })) == .invitation("file"))
    }

    @Test("A knock with any flipped bit fails")
    func everyFlippedBitOfAKnockFails() throws {
        let responder = KnockResponder(transport: .l2cap)
        let bytes = try knock(to: responder, hello: clientHello(20))
        for bit in 0..<(bytes.count * 8) {
            var forged = bytes
            forged[bit / 8] ^= 1 << UInt8(bit % 8)
            var fresh = responder
            #expect(proves(fresh.received(forged, candidates: { candidates })) == nil)
        }
    }

    @Test("Random bytes in random pieces never count as a proof")
    func randomBytesNeverProve() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            var responder = KnockResponder(transport: .l2cap)
            var initiator = KnockInitiator(key: key, transport: .l2cap)
            var guardian = ServerHelloGuard()
            _ = initiator.start(clientHello: hello)
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let piece = generator.bytes(.random(in: 0...400, using: &generator))
                #expect(proves(responder.received(piece, candidates: { candidates })) == nil)
                for case .proved in initiator.received(piece) { Issue.record("proved by noise") }
                _ = guardian.inspect(piece)
            }
        }
    }

    @Test("Each nonce is new, and all have the same length")
    func noncesAreFresh() {
        #expect(Set((0..<100).map { _ in KnockNonce() }).count == 100)
        #expect(KnockNonce(bytes: [1, 2, 3]) == nil)
    }
}
