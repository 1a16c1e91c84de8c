// SPDX-License-Identifier: Apache-2.0

/// A key that a knock may have been made with.
public struct KnockCandidate: Hashable, Sendable {
    /// Whose key it is.
    public enum ID: Hashable, Sendable {
        /// A member of the circle, by the first 4 bytes of its device id.
        case member(UInt32)
        /// An open invitation, by whatever name the inviter gave it.
        case invitation(String)
    }

    /// Whose key it is.
    public var id: ID
    /// The key.
    public var key: PairwiseKey

    /// A key and its owner.
    public init(id: ID, key: PairwiseKey) {
        self.id = id
        self.key = key
    }
}

/// The accepting side of a knock: says nothing but noise until the other side has proved that it
/// shares a key.
///
/// Bytes may come in any pieces; at most one knock is ever held in memory.
public struct KnockResponder: Sendable {
    /// Members' keys that are tried; more are left out.
    public static let maximumMembers = 128
    /// Invitations' keys that are tried, a pairing's among them; more are left out.
    public static let maximumInvitations = 9

    /// What the channel is to do, in order.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// The knock is a candidate's: send `answer`, then give `tls` and all that follows to TLS,
        /// whose client must be that candidate.
        case proved(KnockCandidate.ID, answer: [UInt8], tls: [UInt8])
        /// Bytes that followed a proved knock: TLS's.
        case tls([UInt8])
        /// Close the channel without sending anything. The failure is for the log.
        case closeSilently(KnockFailure)
    }

    private enum State: Sendable {
        case waiting(received: [UInt8])
        case proved
        case closed
    }

    private let transport: TransportKind
    private let nonce: KnockNonce
    private var state = State.waiting(received: [])

    /// The accepting side of a knock on a fresh channel.
    ///
    /// - Parameters:
    ///   - transport: What carries the channel.
    ///   - nonce: Used for this channel only.
    public init(transport: TransportKind, nonce: KnockNonce = KnockNonce()) {
        self.transport = transport
        self.nonce = nonce
    }

    /// The channel is open: the responder speaks first. Call once.
    public func start() -> [Action] { [.send(nonce.bytes)] }

    /// Bytes arrived from the initiator.
    ///
    /// - Parameter candidates: The keys of this moment, asked for only when a whole knock is there.
    public mutating func received(_ bytes: [UInt8], candidates: () -> [KnockCandidate]) -> [Action] {
        guard case .waiting(var received) = state else {
            if case .proved = state, !bytes.isEmpty { return [.tls(bytes)] }
            return []
        }
        received += bytes
        guard received.count >= KnockFormat.headByteCount else {
            state = .waiting(received: received)
            return []
        }
        let head = KnockFormat.headByteCount
        let length = Int(received[head - 2]) << 8 | Int(received[head - 1])
        guard (1...KnockFormat.maximumClientHello).contains(length) else { return close(.malformedClientHello) }
        guard received.count >= head + length else {
            state = .waiting(received: received)
            return []
        }
        let clientHello = Array(received[head..<(head + length)])
        guard KnockFormat.isClientHello(clientHello) else { return close(.malformedClientHello) }
        guard let initiator = KnockNonce(bytes: received.prefix(KnockNonce.byteCount)) else {
            return close(.unknownKnock)
        }
        let tag = Array(received[KnockNonce.byteCount..<(head - 2)])
        guard let owner = owner(of: tag, initiator: initiator, clientHello: clientHello, among: candidates()) else {
            return close(.unknownKnock)
        }
        state = .proved
        let answer = KnockFormat.answerTag(key: owner.key, responder: nonce, initiator: initiator, knockTag: tag)
        return [.proved(owner.id, answer: answer, tls: Array(received[head...]))]
    }

    /// The candidate whose key made a tag. Every key is tried always: the time must not say which
    /// one fits, or that one does.
    private func owner(
        of tag: [UInt8], initiator: KnockNonce, clientHello: [UInt8], among candidates: [KnockCandidate]
    ) -> KnockCandidate? {
        var members = 0
        var invitations = 0
        var owner: KnockCandidate?
        for candidate in candidates {
            switch candidate.id {
            case .member:
                members += 1
                guard members <= Self.maximumMembers else { continue }
            case .invitation:
                invitations += 1
                guard invitations <= Self.maximumInvitations else { continue }
            }
            let expected = KnockFormat.knockTag(
                key: candidate.key, transport: transport, responder: nonce, initiator: initiator,
                clientHello: clientHello)
            if equalInConstantTime(expected, tag) { owner = candidate }
        }
        return owner
    }

    private mutating func close(_ failure: KnockFailure) -> [Action] {
        state = .closed
        return [.closeSilently(failure)]
    }
}
