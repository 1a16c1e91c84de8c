// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import NIOCore
import NIOSSL
import Synchronization

/// Secures channels on either side, with a knock, TLS 1.3 and pinned certificates. Secured channels
/// carry frames.
struct SecureChannels: Sendable {
    let certificate: DeviceCertificate
    let keyring: Keyring
    let connectionLimiter: ConnectionLimiter
    let clock: any DeviceClock
    let logger: Logger
    /// The decision whether an accepted channel may pair instead of knocking.
    var pairingDoor = PairingDoor()
    /// The accepted channels between their knock and their first frame.
    let pendingChannels = PendingChannels()
    let waitingFrames = WaitingFrames()

    /// The time limits for handshakes and first frames.
    var patience = ChannelPatience()

    /// Dials an endpoint and verifies the identity of the peer.
    ///
    /// - Parameters:
    ///   - timeout: The time to reach the endpoint. The handshake has ``ChannelPatience/handshake``
    ///     in addition.
    ///   - signs: The record of when the peer is heard; nil if it is not needed during the dial.
    /// - Throws: ``ChannelFailure`` or `TransportError`.
    func dial(
        _ endpoint: Endpoint, over transport: any ChannelTransport, credential: PeerCredential, timeout: Duration,
        signs: SignsOfLife? = nil
    ) async throws -> SecureChannel {
        let signs = signs ?? SignsOfLife(clock: clock)
        let result = Mutex<EventLoopFuture<SecureChannel>?>(nil)
        let channel = try await transport.connect(to: endpoint, timeout: timeout) { channel in
            channel.eventLoop.makeCompletedFuture {
                let future = try addInitiator(
                    to: channel, at: endpoint, over: transport, credential: credential, signs: signs)
                result.withLock { $0 = future }
            }
        }
        guard let future = result.withLock({ $0 }) else { throw ChannelFailure.refused }
        return try await withTaskCancellationHandler {
            try await future.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Dials an endpoint to pair with the device that answers.
    ///
    /// - Throws: `TransportError`, ``ChannelFailure/refused``.
    func dialToPair(
        _ endpoint: Endpoint, over transport: any ChannelTransport, timeout: Duration
    ) async throws -> PairingWire {
        let result = Mutex<PairingWire?>(nil)
        _ = try await transport.connect(to: endpoint, timeout: timeout) { channel in
            channel.eventLoop.makeCompletedFuture {
                let wire = PairingWire(channel: channel, transport: transport.kind, isDialled: true) { bytes in
                    channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
                }
                try channel.pipeline.syncOperations.addHandler(PairingInitiatorHandler(wire: wire))
                result.withLock { $0 = wire }
            }
        }
        guard let wire = result.withLock({ $0 }) else { throw ChannelFailure.refused }
        return wire
    }

    /// Listens on a transport. Passes each channel on when it has proved its identity and TLS is
    /// done.
    func listen(
        on transport: any ChannelTransport, accepted: @escaping @Sendable (SecureChannel) -> Void
    ) async throws -> any Listener {
        try await transport.listen { channel, remote in
            channel.eventLoop.makeCompletedFuture {
                connectionLimiter.opened(channel, from: remote, over: transport)
                let future = try addResponder(to: channel, from: remote, over: transport)
                future.whenComplete { result in
                    switch result {
                    case .success(let channel): accepted(channel)
                    case .failure(let failure): logger.debug("a channel from \(remote) was not secured: \(failure)")
                    }
                }
            }
        }
    }

    private func addInitiator(
        to channel: any Channel, at remote: Endpoint, over transport: any ChannelTransport,
        credential: PeerCredential, signs: SignsOfLife
    ) throws -> EventLoopFuture<SecureChannel> {
        let findings = SecurityGate.Findings()
        findings.credential = credential
        let loopBound = NIOLoopBound(findings, eventLoop: channel.eventLoop)
        let tls = try NIOSSLClientHandler(context: certificate.client, serverHostname: nil) { chain, promise in
            SecurityGate.verify(chain, loopBound.value, promise)
        }
        let knock = KnockInitiatorHandler(key: credential.key, transport: transport.kind)
        let silence = IdleStateHandler(readTimeout: .init(patience.silence))
        let secured = try finish(channel, remote, transport, findings, signs, [silence, knock, tls])
        let pipeline = channel.pipeline.syncOperations
        secured.assumeIsolated().whenSuccess { _ in pipeline.removeHandler(silence, promise: nil) }
        return secured
    }

    private func addResponder(
        to channel: any Channel, from remote: Endpoint, over transport: any ChannelTransport
    ) throws -> EventLoopFuture<SecureChannel> {
        let findings = SecurityGate.Findings()
        let loopBound = NIOLoopBound(findings, eventLoop: channel.eventLoop)
        let tls = NIOSSLServerHandler(context: certificate.server) { chain, promise in
            SecurityGate.verify(chain, loopBound.value, promise)
        }
        let knock = KnockResponderHandler(
            transport: transport.kind, keyring: keyring, connectionLimiter: connectionLimiter, pairing: pairingDoor,
            pairs: { findings.isPairing = true },
            proved: {
                findings.credential = $0
                pendingChannels.entered(channel, as: $0.peer, from: remote.address)
            })
        return try finish(channel, remote, transport, findings, SignsOfLife(clock: clock), [knock, tls])
    }

    /// Adds the handlers that both sides share.
    private func finish(
        _ channel: any Channel, _ remote: Endpoint, _ transport: any ChannelTransport,
        _ findings: SecurityGate.Findings, _ signs: SignsOfLife, _ lower: [any ChannelHandler]
    ) throws -> EventLoopFuture<SecureChannel> {
        let secured = channel.eventLoop.makePromise(of: NIOLoopBound<SecurityGate.Findings>.self)
        let inbox = FrameInbox(in: waitingFrames)
        let gate = SecurityGate(findings: findings, secured: secured, limit: patience.handshake)
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(SignsOfLifeHandler(signs))
        for handler in lower + [gate, FrameCodec(), inbox] { try operations.addHandler(handler) }
        let boundInbox = NIOLoopBound(inbox, eventLoop: channel.eventLoop)
        let line = inbox.line
        line.onCut { channel.eventLoop.execute { boundInbox.value.cut() } }
        return secured.futureResult.flatMapThrowing { findings in
            guard let credential = findings.value.credential, let key = findings.value.certificateKey else {
                throw ChannelFailure.handshake("the peer is not known")
            }
            return SecureChannel(
                channel: channel, peer: credential.peer, certificateKey: key, remote: remote,
                carrier: transport, signs: signs, inbox: boundInbox, line: line)
        }
    }
}
