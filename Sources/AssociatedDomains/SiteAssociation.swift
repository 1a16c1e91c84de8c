// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import FoundationEssentials

/// A domain's statement about apps: the file `apple-app-site-association`.
///
/// Only `activitycontinuation.apps` is read. The other keys belong to other services. Source:
/// Apple's Handoff Programming Guide, listing 2-8.
public struct SiteAssociation: Hashable, Sendable {
    /// The apps that may continue the domain's pages.
    public let apps: Set<AppIdentifier>

    /// The possible paths of the file. The first one that exists is used.
    public static let paths = ["/.well-known/apple-app-site-association", "/apple-app-site-association"]
    /// The maximum size of the file, in bytes.
    public static let maximumSize = 131_072
    /// The maximum number of apps. Further apps are ignored.
    public static let maximumApps = 1_000

    /// The reason why a file is not used.
    public enum Refusal: Error, Hashable, Sendable {
        /// The file has more than ``maximumSize`` bytes.
        case tooLarge
        /// The file is signed, as iOS 8 required.
        case signed
        /// The file is not JSON.
        case notJSON
        /// The file has no list of apps for this service.
        case noApps

        /// The reason for people.
        public var problem: DomainProblem {
            switch self {
            case .tooLarge: DomainProblem(.domainFileTooLarge)
            case .signed: DomainProblem(.domainFileSigned)
            case .notJSON: DomainProblem(.domainFileNotJSON)
            case .noApps: DomainProblem(.domainFileWithoutApps)
            }
        }
    }

    private struct File: Decodable {
        struct Service: Decodable { var apps: [String] }
        var activitycontinuation: Service
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file.
    ///   - contentType: The server's content type, or nil if there is none. The type is ignored for
    ///     JSON, because many servers send `application/pkcs7-mime`, which iOS 8 required.
    /// - Throws: ``Refusal``.
    public init(_ bytes: [UInt8], contentType: String? = nil) throws(Refusal) {
        guard bytes.count <= Self.maximumSize else { throw .tooLarge }
        // A signature is a DER sequence, which begins with 0x30.
        if bytes.first == 0x30 { throw .signed }
        do {
            let file = try JSONDecoder().decode(File.self, from: Data(bytes))
            apps = Set(file.activitycontinuation.apps.prefix(Self.maximumApps).compactMap { AppIdentifier($0) })
        } catch DecodingError.dataCorrupted {
            throw Self.isSigned(contentType ?? "") ? .signed : .notJSON
        } catch {
            throw .noApps
        }
    }

    private static func isSigned(_ contentType: String) -> Bool {
        contentType.lowercased().prefix { $0 != ";" }.contains("pkcs7")
    }
}
