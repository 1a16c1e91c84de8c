// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Glibc
import NIOCore
import NIOSSL
import NIOTLS

/// The handler above TLS in which a channel becomes secure. It closes the channel unless the peer's
/// certificate was verified and the protocol agreed on in time.
final class SecurityGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The credential of the knock, and the certificate key that TLS has proved. Both values are
    /// set when the handshake is over.
    final class Findings {
        var credential: PeerCredential?
        var certificateKey: [UInt8]?
        /// Whether the channel carries a pairing, which does not use TLS.
        var isPairing = false
    }

    private let findings: Findings
    private let secured: EventLoopPromise<NIOLoopBound<Findings>>
    private let limit: Duration
    private var timer: Scheduled<Void>?
    private var failure: (any Error)?

    /// - Parameter limit: The limit on the time from the opening of the channel until it is secure.
    init(findings: Findings, secured: EventLoopPromise<NIOLoopBound<Findings>>, limit: Duration) {
        self.findings = findings
        self.secured = secured
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { limitTime(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        limitTime(context)
        context.fireChannelActive()
    }

    private func limitTime(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        let channel = context.channel
        let timer = context.eventLoop.assumeIsolated().scheduleTask(in: .init(limit)) { [findings, secured] in
            guard !findings.isPairing else { return }
            secured.fail(ChannelFailure.timedOut)
            channel.close(promise: nil)
        }
        secured.futureResult.whenComplete { _ in timer.cancel() }
        self.timer = timer
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .read? = event as? IdleStateHandler.IdleStateEvent {
            secured.fail(ChannelFailure.timedOut)
            return context.close(promise: nil)
        }
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            // The certificate key is missing after a resumption, in which TLS verifies no
            // certificate.
            guard negotiated == DeviceCertificate.applicationProtocol, findings.credential != nil,
                findings.certificateKey != nil
            else {
                secured.fail(ChannelFailure.handshake("no common protocol, or no certificate"))
                return context.close(promise: nil)
            }
            secured.succeed(NIOLoopBound(findings, eventLoop: context.eventLoop))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = error
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        secured.fail(failure.map { Self.describe($0) } ?? ChannelFailure.refused)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { secured.fail(ChannelFailure.refused) }

    /// Verifies a certificate chain in TLS's callback, and records the certificate's key. TLS then
    /// proves that the peer has that key.
    static func verify(
        _ chain: [NIOSSLCertificate], _ findings: Findings, _ promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        guard let key = DeviceCertificate.key(in: chain), let credential = findings.credential, credential.accepts(key)
        else { return promise.succeed(.failed) }
        findings.certificateKey = key
        promise.succeed(.certificateVerified)
    }

    /// Returns BoringSSL's name of an error, without its numbers and source locations.
    private static func reason(_ error: String) -> String {
        guard let name = error.firstMatch(of: /:([A-Z][A-Z0-9_]+) at\b/)?.1 else {
            return "TLS: \(error.prefix { $0 != "(" })"
        }
        return name == "CERTIFICATE_VERIFY_FAILED" ? "its certificate is another than was expected" : "TLS: \(name)"
    }

    private static func describe(_ error: any Error) -> any Error {
        switch error {
        case is ChannelFailure: error
        case let failure as KnockFailure: ChannelFailure.handshake("\(failure)")
        case NIOSSLError.uncleanShutdown, NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])):
            ChannelFailure.refused
        // These errors mean that the peer closed the channel. A peer that closes before it has read
        // everything resets the connection.
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode): ChannelFailure.refused
        case let error as NIOSSLError: ChannelFailure.handshake(reason("\(error)"))
        default: error
        }
    }
}
