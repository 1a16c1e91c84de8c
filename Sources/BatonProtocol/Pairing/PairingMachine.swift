// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// One attempt of two devices to pair by comparing six digits, until each has the other's keys.
///
/// Documentation/Protocol/Pairing.md specifies the messages and their answers. The machine has
/// neither a clock nor a channel.
public struct PairingMachine: Sendable {
    /// The side of the pairing that this machine takes.
    public enum Role: Hashable, Sendable {
        /// The side that dialled, which commits to its share first.
        case initiator
        /// The side that was dialled.
        case responder
    }

    /// An event for the machine.
    public enum Event: Hashable, Sendable {
        /// The channel is open.
        case opened
        /// Bytes arrived, in pieces of any size.
        case received([UInt8])
        /// The user said whether the digits are the same.
        case decided(Bool)
        /// The time ran out, or the user stopped the pairing.
        case abandoned
        /// The channel was closed by the other side, or the connection broke.
        case closed(isBroken: Bool)
    }

    /// An action. Actions are carried out in order.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// Ask the user to compare these six digits.
        case show(digits: String)
        /// Both users confirmed.
        ///
        /// Continue on a channel whose knock uses `key`, and on which this device uses its own
        /// certificate.
        case paired(PairedDevice, key: PairwiseKey)
        /// Pairing failed. Ignore earlier results, and close the channel.
        case fail(PairingFailure)
    }

    private enum State: Sendable {
        case new
        /// Initiator: it has sent the commitment.
        case committed
        /// Responder: it waits for the commitment.
        case awaitsCommitment
        /// Responder: it has sent its share.
        case awaitsShare(commit: [UInt8])
        case comparing(PairingKeys)
        /// Initiator: both users confirmed, and it waits until the responder expects the knock.
        case awaitsReady(PairedDevice, PairwiseKey)
        case over
    }

    /// The side of the pairing that this machine takes.
    public let role: Role
    let transport: TransportKind
    private let identity: DeviceIdentity
    private let name: String
    private let circle: CircleID?
    private let ephemeral: Curve25519.KeyAgreement.PrivateKey
    private let share: PairingShare
    private var state: State
    private var buffer: [UInt8] = []
    private var messages: [UInt8] = []
    private var decision: Bool?
    private var peer: PairedDevice?

    /// Whether the responder's share was revealed.
    ///
    /// From then on, every failure counts as a failed attempt, unless its
    /// ``PairingFailure/isAttempt`` is false.
    public private(set) var isSpent = false

    /// Creates a pairing that has not begun.
    ///
    /// - Parameters:
    ///   - role: The side of the pairing that this machine takes.
    ///   - transport: The transport that carries the channel.
    ///   - identity: This device's keys.
    ///   - name: This device's name.
    ///   - circle: This device's circle, or nil.
    ///   - ephemeral: A fresh key, used once.
    ///   - random: 32 fresh random bytes.
    public init(
        role: Role, transport: TransportKind, identity: DeviceIdentity, name: String, circle: CircleID?,
        ephemeral: Curve25519.KeyAgreement.PrivateKey = Curve25519.KeyAgreement.PrivateKey(), random: [UInt8]
    ) {
        self.role = role
        self.transport = transport
        self.identity = identity
        self.name = name
        self.circle = circle
        self.ephemeral = ephemeral
        share = PairingShare(random: random, key: Array(ephemeral.publicKey.rawRepresentation))
        state = .new
    }

    /// Returns whether a channel begins with a pairing; `nil` if more bytes are needed.
    public static func isOpening(_ bytes: [UInt8]) -> Bool? {
        let magic = PairingFormat.magic
        if bytes.count >= magic.count { return bytes.starts(with: magic) }
        return magic.starts(with: bytes) ? nil : false
    }

    /// Processes an event, and returns the actions that follow.
    public mutating func handle(_ event: Event) -> [Action] {
        if case .over = state { return [] }
        switch event {
        case .opened: return open()
        case .received(let bytes): return receive(bytes)
        case .decided(let same): return decide(same)
        case .abandoned: return fail(.abandoned)
        case .closed(let isBroken): return fail(isBroken ? .broken : .closed)
        }
    }

    private mutating func open() -> [Action] {
        guard case .new = state else { return [] }
        guard role == .initiator else {
            state = .awaitsCommitment
            return []
        }
        let commit = PairingFormat.magic + PairingFormat.commitment(to: share)
        messages = commit
        state = .committed
        return [.send(commit)]
    }

    private mutating func receive(_ bytes: [UInt8]) -> [Action] {
        buffer += bytes
        var actions: [Action] = []
        while true {
            let step: [Action]?
            switch state {
            case .new, .over: return actions
            case .awaitsCommitment: step = takeCommitment()
            case .committed: step = takeResponderShare()
            case .awaitsShare(let commit): step = takeInitiatorShare(commit)
            case .comparing(let keys): step = takeAnswer(keys)
            case .awaitsReady(let device, let key): step = takeReady(device, key)
            }
            guard let step else { return actions }
            actions += step
        }
    }

    /// Takes a number of bytes from the buffer; returns nil until all of them have arrived.
    private mutating func take(_ count: Int) -> [UInt8]? {
        guard buffer.count >= count else { return nil }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private mutating func takeCommitment() -> [Action]? {
        guard let commit = take(PairingFormat.commitByteCount) else { return nil }
        guard commit.starts(with: PairingFormat.magic) else { return fail(.malformed) }
        let reply = PairingFormat.magic + share.bytes
        messages = commit + reply
        state = .awaitsShare(commit: Array(commit.dropFirst(PairingFormat.magic.count)))
        isSpent = true
        return [.send(reply)]
    }

    private mutating func takeResponderShare() -> [Action]? {
        guard Self.isOpening(buffer) != false else { return fail(.foreign) }
        guard let bytes = take(PairingFormat.replyByteCount),
            let theirs = PairingShare(bytes.dropFirst(PairingFormat.magic.count))
        else { return nil }
        isSpent = true
        // The transcript contains all messages, so the digits differ if somebody has changed a
        // message.
        messages += bytes + share.bytes
        return [.send(share.bytes)] + compare(theirs)
    }

    private mutating func takeInitiatorShare(_ commit: [UInt8]) -> [Action]? {
        guard let bytes = take(PairingFormat.shareByteCount), let theirs = PairingShare(bytes) else { return nil }
        guard equalInConstantTime(PairingFormat.commitment(to: theirs), commit) else { return fail(.brokenCommitment) }
        messages += bytes
        return compare(theirs)
    }

    private mutating func compare(_ theirs: PairingShare) -> [Action] {
        guard theirs.key != share.key, theirs.random != share.random else { return fail(.reflected) }
        guard
            let keys = PairingKeys(own: ephemeral, peer: theirs.key, messages: messages, transport: transport)
        else { return fail(.malformed) }
        state = .comparing(keys)
        return [.show(digits: keys.digits)]
    }

    private mutating func decide(_ same: Bool) -> [Action] {
        guard case .comparing(let keys) = state, decision == nil else { return [] }
        decision = same
        let key = role == .initiator ? keys.initiatorKey : keys.responderKey
        guard
            let plaintext = same
                ? try? PairingAnswer.yes(
                    identity, name: name, circle: circle, role: role, transcript: keys.transcript)
                : try? PairingAnswer.no(),
            let sealed = PairingKeys.seal(plaintext, with: key, transcript: keys.transcript)
        else { return fail(.malformed) }
        let length = [UInt8(sealed.count >> 8), UInt8(sealed.count & 0xFF)]
        let answer = Action.send(length + sealed)
        return same ? [answer] + finishIfBothSaidYes(keys) : [answer] + fail(.declinedHere)
    }

    private mutating func takeAnswer(_ keys: PairingKeys) -> [Action]? {
        guard buffer.count >= 2 else { return nil }
        let length = Int(buffer[0]) << 8 | Int(buffer[1])
        // Only one answer is allowed.
        guard peer == nil, (16...PairingFormat.maximumAnswer).contains(length) else { return fail(.malformed) }
        guard let bytes = take(2 + length) else { return nil }
        let (theirRole, key): (Role, _) =
            role == .initiator ? (.responder, keys.responderKey) : (.initiator, keys.initiatorKey)
        guard
            let plaintext = PairingKeys.open(Array(bytes.dropFirst(2)), with: key, transcript: keys.transcript)
        else { return fail(.malformed) }
        do {
            guard let device = try PairingAnswer.read(plaintext, role: theirRole, transcript: keys.transcript) else {
                return fail(.declinedThere)
            }
            guard device.member.keys.id != identity.id else { return fail(.reflected) }
            peer = device
        } catch {
            return fail(.malformed)
        }
        return finishIfBothSaidYes(keys)
    }

    /// Reports the other device's description, but only once both users have confirmed.
    private mutating func finishIfBothSaidYes(_ keys: PairingKeys) -> [Action] {
        guard decision == true, let peer, let key = PairwiseKey(bytes: keys.knock) else { return [] }
        // Both sides detect by themselves that both are in a circle, so both report the same
        // failure.
        if let circle, let theirs = peer.circle { return fail(.bothInCircles(areSame: circle == theirs)) }
        if role == .initiator {
            state = .awaitsReady(peer, key)
            return []
        }
        state = .over
        return [.paired(peer, key: key), .send([PairingFormat.ready])]
    }

    private mutating func takeReady(_ device: PairedDevice, _ key: PairwiseKey) -> [Action]? {
        guard let byte = take(1) else { return nil }
        guard byte == [PairingFormat.ready] else { return fail(.malformed) }
        state = .over
        return [.paired(device, key: key)]
    }

    private mutating func fail(_ failure: PairingFailure) -> [Action] {
        state = .over
        return [.fail(failure)]
    }
}
