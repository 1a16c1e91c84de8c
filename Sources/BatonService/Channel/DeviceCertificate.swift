// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Crypto
import FoundationEssentials
import NIOCore
import NIOSSL
import SwiftASN1
import Synchronization
import X509

/// The self-signed certificate with a device's P-256 key, and the TLS settings of both sides.
///
/// Peers judge the key alone, and ignore names and dates. Source:
/// `Documentation/Protocol/Channel.md`, "TLS".
final class DeviceCertificate: Sendable {
    private struct Contexts {
        let client: NIOSSLContext
        let server: NIOSSLContext
    }

    private let contexts: Mutex<Contexts>

    /// The TLS context for channels that this device dials.
    var client: NIOSSLContext { contexts.withLock(\.client) }
    /// The TLS context for channels that this device accepts.
    var server: NIOSSLContext { contexts.withLock(\.server) }

    /// The only application protocol that Baton offers and accepts in TLS.
    static let applicationProtocol = "baton/1"

    init(identity: DeviceIdentity) throws { contexts = Mutex(try Self.contexts(of: identity)) }

    /// Uses another identity's key for all channels from now on.
    func renew(identity: DeviceIdentity) throws {
        let new = try Self.contexts(of: identity)
        contexts.withLock { $0 = new }
    }

    private static func contexts(of identity: DeviceIdentity) throws -> Contexts {
        Contexts(
            client: try NIOSSLContext(configuration: configuration(of: identity, isServer: false)),
            server: try NIOSSLContext(configuration: configuration(of: identity, isServer: true)))
    }

    /// Returns the TLS settings of one side.
    static func configuration(of identity: DeviceIdentity, isServer: Bool) throws -> TLSConfiguration {
        let certificate = NIOSSLCertificateSource.certificate(try certificate(of: identity))
        let key = NIOSSLPrivateKeySource.privateKey(
            try NIOSSLPrivateKey(bytes: Array(identity.certificateKey.derRepresentation), format: .der))
        var configuration: TLSConfiguration
        if isServer {
            configuration = .makeServerConfiguration(certificateChain: [certificate], privateKey: key)
        } else {
            configuration = .makeClientConfiguration()
            configuration.certificateChain = [certificate]
            configuration.privateKey = key
        }
        harden(&configuration)
        return configuration
    }

    /// Restricts TLS to version 1.3 and one group, so that no HelloRetryRequest is needed. Both
    /// sides must show certificates, which are verified only against the pinned keys.
    private static func harden(_ configuration: inout TLSConfiguration) {
        configuration.minimumTLSVersion = .tlsv13
        configuration.maximumTLSVersion = .tlsv13
        configuration.curves = [.x25519]
        configuration.certificateVerification = .noHostnameVerification
        configuration.trustRoots = .certificates([])
        configuration.applicationProtocols = [applicationProtocol]
        configuration.sendCANameList = false
        configuration.shutdownTimeout = .seconds(1)
    }

    private static func certificate(of identity: DeviceIdentity) throws -> NIOSSLCertificate {
        let key = Certificate.PrivateKey(identity.certificateKey)
        let name = try DistinguishedName { CommonName("baton") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Date(timeIntervalSince1970: 4_102_444_800),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {}, issuerPrivateKey: key)
        return try NIOSSLCertificate(bytes: Array(certificate.serializeAsPEM().derBytes), format: .der)
    }

    /// Returns the certificate key in a peer's chain, in X9.63 form; nil unless the chain is one
    /// P-256 certificate.
    static func key(in chain: [NIOSSLCertificate]) -> [UInt8]? {
        guard chain.count == 1, let information = try? chain[0].extractPublicKey().toSPKIBytes(),
            let key = try? P256.Signing.PublicKey(derRepresentation: information)
        else { return nil }
        return Array(key.x963Representation)
    }
}
