// SPDX-License-Identifier: Apache-2.0

/// The dialling side of a knock, in which both sides prove themselves before TLS receives a byte.
///
/// Bytes may arrive in pieces of any size. ``Action/proved(leftover:)`` or ``Action/close(_:)`` is
/// the last action.
public struct KnockInitiator: Sendable {
    /// An action for the channel. Actions are carried out in order.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// The responder has proved itself. Pass these bytes, if any, and all that follow to TLS.
        case proved(leftover: [UInt8])
        /// Close the channel.
        case close(KnockFailure)
    }

    private enum State: Sendable {
        /// The responder's nonce, the ClientHello, or both are missing.
        case gathering(nonce: [UInt8], clientHello: [UInt8]?)
        case knocked(expected: [UInt8], received: [UInt8])
        case finished
        case proved
    }

    private let key: PairwiseKey
    private let transport: TransportKind
    private let nonce: KnockNonce
    private var state = State.gathering(nonce: [], clientHello: nil)

    /// Creates the dialling side of a knock on a new channel.
    ///
    /// - Parameters:
    ///   - key: The key that this device shares with the dialled device.
    ///   - transport: The transport that carries the channel.
    ///   - nonce: A nonce for this channel only.
    public init(key: PairwiseKey, transport: TransportKind, nonce: KnockNonce = KnockNonce()) {
        self.key = key
        self.transport = transport
        self.nonce = nonce
    }

    /// Starts the knock with TLS's ClientHello, one complete record. Later calls have no effect.
    public mutating func start(clientHello: [UInt8]) -> [Action] {
        guard case .gathering(let responder, nil) = state else { return [] }
        guard KnockFormat.isClientHello(clientHello) else { return finish(.malformedClientHello) }
        return knock(responder, clientHello)
    }

    /// Processes bytes from the responder.
    public mutating func received(_ bytes: [UInt8]) -> [Action] {
        switch state {
        case .gathering(var responder, let clientHello):
            // Before a knock, the responder only sends its nonce.
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
