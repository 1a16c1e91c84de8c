// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Reads and writes the paths of documents in URLs for other laptops: `SCHEME:/PATH`.
///
/// If the path has control characters, they are replaced in PATH, and the exact path follows as a
/// query: `SCHEME:/PATH?bytes=/EXACT`. Programs that do not know the query use PATH. The exact path
/// in another laptop's URL may contain bytes that are not UTF-8. Foundation's URLs cannot name such
/// a file.
package enum DocumentPath {
    private static let query = "bytes="

    /// Returns the URL of a path.
    ///
    /// - Parameters:
    ///   - parts: The names in the path.
    ///   - scheme: The URL's scheme.
    package static func url(_ parts: [String], scheme: String) -> URL? {
        let shown = encoded(parts.map(DocumentName.shown))
        let whole = encoded(parts)
        return URL(string: "\(scheme):\(shown)" + (shown == whole ? "" : "?\(query)\(whole)"))
    }

    /// Returns the displayable path in another laptop's URL, still percent-encoded.
    ///
    /// - Returns: The path without its first slash, or nil for another scheme or a URL with a host.
    package static func shown(in url: URL, scheme: String) -> Substring? {
        components(of: url, scheme: scheme).flatMap { withoutSlash($0.percentEncodedPath[...]) }
    }

    /// Returns the exact path in another laptop's URL, still percent-encoded.
    ///
    /// - Returns: The path without its first slash, or nil for another scheme or a URL with a host.
    package static func whole(in url: URL, scheme: String) -> Substring? {
        guard let components = components(of: url, scheme: scheme),
            let shown = withoutSlash(components.percentEncodedPath[...])
        else { return nil }
        guard let said = components.percentEncodedQuery, said.hasPrefix("\(query)/") else { return shown }
        return withoutSlash(said.dropFirst(query.count).prefix { $0 != "&" })
    }

    private static func components(of url: URL, scheme: String) -> URLComponents? {
        guard url.scheme == scheme, url.host() == nil else { return nil }
        return URLComponents(url: url, resolvingAgainstBaseURL: false)
    }

    private static func withoutSlash(_ path: Substring) -> Substring? {
        path.utf8.first == UInt8(ascii: "/") ? path.dropFirst() : nil
    }

    private static func encoded(_ parts: [String]) -> String {
        parts.map { "/" + PercentEncoding.encoded($0) }.joined()
    }
}
