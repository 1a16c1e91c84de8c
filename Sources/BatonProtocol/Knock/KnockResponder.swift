// SPDX-License-Identifier: Apache-2.0

/// A key that may have made a knock.
public struct KnockCandidate: Hashable, Sendable {
    /// The owner of a key.
    public enum ID: Hashable, Sendable {
        /// A member of the circle, by the first 4 bytes of its device id.
        case member(UInt32)
        /// An open invitation, by the inviter's name for it.
        case invitation(String)
    }

    /// The owner of the key.
    public var id: ID
    /// The key.
    public var key: PairwiseKey

    /// Creates a candidate.
    public init(id: ID, key: PairwiseKey) {
        self.id = id
        self.key = key
    }
}

/// The accepting side of a knock, which sends only random bytes until the other side has proved
/// itself.
///
/// Bytes may arrive in pieces of any size. At most one knock is held in memory.
public struct KnockResponder: Sendable {
    /// The maximum number of members' keys to try. Further keys are ignored.
    public static let maximumMembers = 128
    /// The maximum number of invitations' keys to try, including the key of a pairing.
    ///
    /// Further keys are ignored.
    public static let maximumInvitations = 9

    /// An action for the channel. Actions are carried out in order.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// A candidate made the knock.
        ///
        /// Send `answer`, then pass `tls` and all that follows to TLS. The TLS client must be that
        /// candidate.
        case proved(KnockCandidate.ID, answer: [UInt8], tls: [UInt8])
        /// Pass these bytes, which followed a proved knock, to TLS.
        case tls([UInt8])
        /// Close the channel without sending anything, and only log the failure.
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

    /// Creates the accepting side of a knock on a new channel.
    ///
    /// - Parameters:
    ///   - transport: The transport that carries the channel.
    ///   - nonce: A nonce for this channel only.
    public init(transport: TransportKind, nonce: KnockNonce = KnockNonce()) {
        self.transport = transport
        self.nonce = nonce
    }

    /// Starts the knock on an open channel. The responder sends first. Call this once.
    public func start() -> [Action] { [.send(nonce.bytes)] }

    /// Processes bytes from the initiator.
    ///
    /// - Parameter candidates: Called for the present keys, but only if the knock is complete.
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

    /// Returns the candidate whose key made a tag.
    ///
    /// Every key is always tried, so that the time taken does not reveal which key matches, or
    /// whether any key does.
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
