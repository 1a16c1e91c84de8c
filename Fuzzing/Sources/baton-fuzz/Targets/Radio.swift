// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol

extension FuzzTarget {
    /// Advertisements of other devices: beacons, hails and pairing advertisements.
    static let beacon = FuzzTarget("beacon", maximumLength: 64) {
        var cipher = BeaconCipher(secret: Fixture.secret)
        var hails = BeaconCipher(hailing: try Fixture.pairwise())
        let hash = ActivityHash(bytes: [1, 2, 3, 4, 5]) ?? .none
        let beacon = Beacon(device: 7, activity: hash, flags: .hasWebpage, sequence: 5, psm: 0x80)
        let hail = Beacon(device: Fixture.peer.id.short, activity: .none, flags: [], sequence: 0, psm: 0x80)
        var datagrams = BeaconCipher(secret: Fixture.secret, form: .datagram)
        let network = Fixture.repeated(3, BeaconForm.datagram.networkByteCount)
        let advert = PairingAdvert(nonce: [1, 2, 3, 4, 5, 6, 7, 8], psm: 0x81)
        return [
            cipher.seal(beacon, at: Fixture.moment), cipher.seal(beacon, at: Fixture.moment - 3_600),
            hails.seal(hail, at: Fixture.moment), advert?.payload ?? [], Array(1...15),
            datagrams.seal(beacon, at: Fixture.moment, in: network) + network,
        ]
    } body: { input in
        var cipher = BeaconCipher(secret: Fixture.secret)
        if let opened = cipher.open(input, at: Fixture.moment) {
            try FuzzFinding.unless("only 24 bytes open") { input.count == Beacon.byteCount }
            try FuzzFinding.unless("bytes are good for half an hour at most") {
                (.zero ... .seconds(1_800)).contains(opened.validFor)
            }
        }
        var datagrams = BeaconCipher(secret: Fixture.secret, form: .datagram)
        if let opened = datagrams.open(input, at: Fixture.moment) {
            try FuzzFinding.unless("a datagram has one length") { input.count == BeaconForm.datagram.openedByteCount }
            try FuzzFinding.unless("a datagram offers nothing") { opened.beacon.offered == nil }
        }
        if let advert = PairingAdvert(payload: input) {
            try FuzzFinding.unless("a pairing advertisement has one form") { advert.payload == input }
        }
        var listener = HailListener()
        try listener.keysChanged([Fixture.peer.id: Fixture.pairwise()])
        if let heard = listener.received(input, at: Fixture.moment, uptime: .zero) {
            try FuzzFinding.unless("a hail names whose key opens it") {
                heard.device == Fixture.peer.id && heard.beacon.device == Fixture.peer.id.short
            }
        }
        var search = ClockSearch()
        search.keysChanged(Fixture.secret, pairwise: [:])
        search.heard(input, at: "a")
        try FuzzFinding.unless("only what may be a beacon is searched") {
            search.unopened.isEmpty || input.count == Beacon.byteCount
        }
        // A member can seal any plaintext, so it must be read as it was written.
        guard input.count >= Beacon.plaintextByteCount else { return }
        let sent = Beacon(reading: input, at: 0)
        var written = Fixture.repeated(0, Beacon.plaintextByteCount)
        sent.write(into: &written, at: 0)
        try FuzzFinding.unless("a plaintext has one form, but for flags that are not known") {
            Beacon(reading: written, at: 0) == sent
                && written.indices.allSatisfy { $0 == 9 || written[$0] == input[$0] }
        }
        let sealed = cipher.seal(sent, at: Fixture.moment)
        try FuzzFinding.unless("what is sealed opens") { cipher.open(sealed, at: Fixture.moment)?.beacon == sent }
    }

    /// The bytes before TLS, in either role and in any pieces.
    static let knock = FuzzTarget("knock", maximumLength: 8_192) {
        let hello: [UInt8] = [22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3]
        var initiator = try KnockInitiator(key: Fixture.pairwise(), transport: .tcp, nonce: Fixture.nonce)
        _ = initiator.start(clientHello: hello)
        var sent: [UInt8] = []
        for case .send(let bytes) in initiator.received(Fixture.nonce.bytes) { sent += bytes }
        let serverHello = [22, 3, 3, 0, 44, 2, 0, 0, 40, 3, 3] + Fixture.repeated(9, 38)
        return [
            [0] + FuzzInput.pieces([sent]),
            [0] + FuzzInput.pieces([Array(sent.prefix(40)), Array(sent.dropFirst(40))]),
            [0] + FuzzInput.pieces([sent, [23, 3, 3, 0, 1, 0]]), [0] + FuzzInput.pieces([Array("baton pair 2".utf8)]),
            [1] + FuzzInput.pieces([hello, Fixture.nonce.bytes, Fixture.repeated(0, 16)]),
            [2] + FuzzInput.pieces([serverHello]), [2] + FuzzInput.pieces(serverHello.map { [$0] }),
        ]
    } body: { input in
        var rest = FuzzInput(input)
        switch rest.byte() % 3 {
        case 0:
            let pieces = rest.pieces()
            let (cut, whole) = (try respond(to: pieces), try respond(to: [pieces.flatMap(\.self)]))
            try FuzzFinding.unless("a knock is the same in any pieces") { cut == whole }
        case 1:
            var initiator = try KnockInitiator(key: Fixture.pairwise(), transport: .l2cap, nonce: Fixture.nonce)
            var actions = initiator.start(clientHello: rest.piece())
            for piece in rest.pieces() { actions += initiator.received(piece) }
            let sent = actions.filter { if case .send = $0 { true } else { false } }.count
            let ended = actions.filter { if case .close = $0 { true } else { false } }.count
            try FuzzFinding.unless("one knock is sent, and closed once") { sent <= 1 && ended <= 1 }
        default:
            let pieces = rest.pieces()
            var (cut, whole) = (ServerHelloGuard(), ServerHelloGuard())
            var verdict = ServerHelloGuard.Verdict.undecided
            for piece in pieces { verdict = cut.inspect(piece) }
            try FuzzFinding.unless("a ServerHello is the same in any pieces") {
                pieces.isEmpty || verdict == whole.inspect(pieces.flatMap(\.self))
            }
        }
    }

    private struct Answer: Hashable {
        var sent: [UInt8] = []
        var tls: [UInt8] = []
        var isProved = false
        var isClosed = false
    }

    private static func respond(to pieces: [[UInt8]]) throws -> Answer {
        var responder = KnockResponder(transport: .tcp, nonce: Fixture.nonce)
        let candidates = [try KnockCandidate(id: .member(1), key: Fixture.pairwise())]
        var answer = Answer()
        for action in responder.start() + pieces.flatMap({ responder.received($0) { candidates } }) {
            switch action {
            case .send(let bytes): answer.sent += bytes
            case .proved(_, let bytes, let tls):
                answer.isProved = true
                answer.sent += bytes
                answer.tls += tls
            case .tls(let bytes): answer.tls += bytes
            case .closeSilently: answer.isClosed = true
            }
        }
        try FuzzFinding.unless("a stranger gets a nonce and nothing else") {
            answer.isProved || answer.sent == Fixture.nonce.bytes && answer.tls.isEmpty
        }
        return answer
    }
}
