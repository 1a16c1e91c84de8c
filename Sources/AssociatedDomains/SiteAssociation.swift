// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a domain says about apps: the file `apple-app-site-association`.
///
/// Only `activitycontinuation.apps` is read; all other keys are other services', and are passed
/// over. Source: Apple's Handoff Programming Guide, listing 2-8.
public struct SiteAssociation: Hashable, Sendable {
    /// The apps that may continue the domain's pages.
    public let apps: Set<AppIdentifier>

    /// Where the file is, the first that is there counts.
    public static let paths = ["/.well-known/apple-app-site-association", "/apple-app-site-association"]
    /// The largest file, in bytes.
    public static let maximumSize = 131_072
    /// How many apps count; those after them do not.
    public static let maximumApps = 1_000

    /// Why a file is not used.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// In one line.
        public let description: String

        /// It has more than ``maximumSize`` bytes.
        public static let tooLarge = Self(description: "its file has more than 128 KiB")
        /// It is signed, as for iOS 8.
        public static let signed = Self(
            description: "its file is signed (PKCS #7), which is not read: serve the JSON itself")
        /// It is not JSON.
        public static let notJSON = Self(description: "its file is not JSON")
        /// It says nothing about this.
        public static let noApps = Self(description: "its file has no list activitycontinuation.apps")
    }

    private struct File: Decodable {
        struct Service: Decodable { var apps: [String] }
        var activitycontinuation: Service
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: Its contents.
    ///   - contentType: What the server says it is; nil when it does not say. JSON is read whatever
    ///     the server calls it: many serve it as `application/pkcs7-mime`, as iOS 8 wanted it
    ///     signed.
    /// - Throws: ``Refusal``.
    public init(_ bytes: [UInt8], contentType: String? = nil) throws(Refusal) {
        guard bytes.count <= Self.maximumSize else { throw .tooLarge }
        // 0x30 begins a DER sequence: what signatures are in.
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
