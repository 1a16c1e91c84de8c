// SPDX-License-Identifier: Apache-2.0

/// The dialling side of a knock: proves itself to the responder, and the responder to itself,
/// before TLS sees a byte.
///
/// Bytes may come in any pieces. After ``Action/proved(leftover:)`` or ``Action/close(_:)`` the
/// machine has done its work.
public struct KnockInitiator: Sendable {
    /// What the channel is to do, in order.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// The responder is who it should be. These bytes, perhaps none, and all that follow are
        /// TLS's.
        case proved(leftover: [UInt8])
        /// Close the channel.
        case close(KnockFailure)
    }

    private enum State: Sendable {
        /// Waiting for the responder's nonce, TLS's ClientHello, or both.
        case gathering(nonce: [UInt8], clientHello: [UInt8]?)
        case knocked(expected: [UInt8], received: [UInt8])
        case finished
        case proved
    }

    private let key: PairwiseKey
    private let transport: TransportKind
    private let nonce: KnockNonce
    private var state = State.gathering(nonce: [], clientHello: nil)

    /// The dialling side of a knock on a fresh channel.
    ///
    /// - Parameters:
    ///   - key: Shared with the device that was dialled.
    ///   - transport: What carries the channel.
    ///   - nonce: Used for this channel only.
    public init(key: PairwiseKey, transport: TransportKind, nonce: KnockNonce = KnockNonce()) {
        self.key = key
        self.transport = transport
        self.nonce = nonce
    }

    /// TLS has produced its ClientHello: one record, whole. Later calls do nothing.
    public mutating func start(clientHello: [UInt8]) -> [Action] {
        guard case .gathering(let responder, nil) = state else { return [] }
        guard KnockFormat.isClientHello(clientHello) else { return finish(.malformedClientHello) }
        return knock(responder, clientHello)
    }

    /// Bytes arrived from the responder.
    public mutating func received(_ bytes: [UInt8]) -> [Action] {
        switch state {
        case .gathering(var responder, let clientHello):
            // The responder has nothing to say beyond its nonce before it has heard a knock.
            guard responder.count + bytes.count <= KnockNonce.byteCount else { return finish(.unexpectedBytes) }
            responder += bytes
            return knock(responder, clientHello)
        case .knocked(let expected, var received):
            let missing = KnockFormat.tagByteCount - received.count
            received += bytes.prefix(missing)
            guard received.count == KnockFormat.tagByteCount else {
                state = .knocked(expected: expected, received: received)
                return []
            }
            guard equalInConstantTime(expected, received) else { return finish(.wrongAnswer) }
            state = .proved
            return [.proved(leftover: Array(bytes.dropFirst(missing)))]
        case .proved, .finished:
            return []
        }
    }

    private mutating func knock(_ responder: [UInt8], _ clientHello: [UInt8]?) -> [Action] {
        guard let clientHello, let responderNonce = KnockNonce(bytes: responder) else {
            state = .gathering(nonce: responder, clientHello: clientHello)
            return []
        }
        let tag = KnockFormat.knockTag(
            key: key, transport: transport, responder: responderNonce, initiator: nonce, clientHello: clientHello)
        state = .knocked(
            expected: KnockFormat.answerTag(key: key, responder: responderNonce, initiator: nonce, knockTag: tag),
            received: [])
        let length = [UInt8(clientHello.count >> 8), UInt8(clientHello.count & 0xFF)]
        return [.send(nonce.bytes + tag + length + clientHello)]
    }

    private mutating func finish(_ failure: KnockFailure) -> [Action] {
        state = .finished
        return [.close(failure)]
    }
}
