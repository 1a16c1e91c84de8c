// SPDX-License-Identifier: Apache-2.0

internal import Crypto
public import Foundation
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// A test's own certificate authority, which signs servers' certificates.
public struct TestAuthority: Sendable {
    /// The authority's certificate, in a PEM file.
    public let file: URL
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName

    /// Creates an authority, and writes its certificate into a directory.
    public init(in directory: URL) throws {
        key = P256.Signing.PrivateKey()
        name = try DistinguishedName { CommonName("Test Authority") }
        file = directory.appending(path: "authority-\(UUID().uuidString).pem")
        let certificate = try Self.certificate(
            of: .init(key.publicKey), subject: name, issuer: name, key: key,
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            }, days: 1)
        try Data(certificate.serializeAsPEM().pemString.utf8).write(to: file)
    }

    /// Returns the configuration of a server with a domain's name.
    ///
    /// - Parameter days: For how many days from now the certificate is valid. A negative number is
    ///   one that expired this number of days ago.
    func server(_ domain: String, days: Int) throws -> TLSConfiguration {
        let own = P256.Signing.PrivateKey()
        let certificate = try Self.certificate(
            of: .init(own.publicKey), subject: try DistinguishedName { CommonName(domain) }, issuer: name, key: key,
            Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                SubjectAlternativeNames([.dnsName(domain)])
            }, days: days)
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.serializeAsPEM().pemString.utf8))
        return .makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(own.pemRepresentation.utf8), format: .pem)))
    }

    private static func certificate(
        of key: Certificate.PublicKey, subject: DistinguishedName, issuer: DistinguishedName,
        key signer: P256.Signing.PrivateKey, _ extensions: Certificate.Extensions, days: Int
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key,
            notValidBefore: Date(timeIntervalSinceNow: -10 * 86_400),
            notValidAfter: Date(timeIntervalSinceNow: Double(days) * 86_400), issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(signer))
    }
}
