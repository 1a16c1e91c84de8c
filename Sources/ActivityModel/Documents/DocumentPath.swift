// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Paths of documents in URLs on their way: `SCHEME:/PATH`.
///
/// Where the path has what cannot be shown, PATH is without it, for programs that know no more. The
/// path itself comes after it: `SCHEME:/PATH?bytes=/PATH`. It may have bytes that are not UTF-8, of
/// which Foundation's URLs name no file.
package enum DocumentPath {
    private static let query = "bytes="

    /// The URL of a path.
    ///
    /// - Parameters:
    ///   - parts: The names in the path.
    ///   - scheme: The URL's scheme.
    package static func url(_ parts: [String], scheme: String) -> URL? {
        let shown = encoded(parts.map(DocumentName.shown))
        let whole = encoded(parts)
        return URL(string: "\(scheme):\(shown)" + (shown == whole ? "" : "?\(query)\(whole)"))
    }

    /// The path in a URL from another laptop, encoded as it came, without what cannot be shown.
    ///
    /// - Returns: The path without its first slash; nil for another scheme, and with a host.
    package static func shown(in url: URL, scheme: String) -> Substring? {
        components(of: url, scheme: scheme).flatMap { withoutSlash($0.percentEncodedPath[...]) }
    }

    /// The path itself in a URL from another laptop, encoded as it came.
    ///
    /// - Returns: The path without its first slash; nil for another scheme, and with a host.
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
