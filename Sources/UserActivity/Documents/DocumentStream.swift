// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How a document outside of all shared folders travels: its name in userInfo, its contents through
/// the continuation streams.
///
/// Under ``UserActivityDocumentURLKey`` stands `baton-document:/NAME`. A name with control
/// characters stands there without them, and as it is after `?bytes=/`. The stream carries the
/// number of bytes, 8 bytes with the highest first, and then the bytes: a stream that ends before
/// is not a document.
public enum DocumentStream {
    /// The scheme of such a document's URL on its way.
    public static let scheme = "baton-document"
    /// How many bytes come before the contents.
    public static let headerLength = 8
    /// The longest name, in UTF-8 bytes.
    public static let maximumNameLength = DocumentName.maximumLength

    /// The URL of a document of a name.
    ///
    /// - Parameter name: The file's name, without its folder.
    /// - Returns: The URL; nil for what is not the name of a file.
    public static func url(name: String) -> URL? {
        DocumentName.isName(name) ? DocumentPath.url([name], scheme: scheme) : nil
    }

    /// The name in such a URL, as it can be shown.
    ///
    /// - Parameter url: A URL from another device.
    /// - Returns: The name; nil for another scheme, and for whatever is not the name of a file: a
    ///   path, `..`, control characters.
    public static func name(in url: URL) -> String? {
        guard let path = DocumentPath.shown(in: url, scheme: scheme), let name = PercentEncoding.decoded(path),
            DocumentName.isName(name), DocumentName.shown(name) == name
        else { return nil }
        return name
    }

    /// What comes before the contents.
    public static func header(length: Int) -> [UInt8] {
        let length = UInt64(max(0, length))
        return (0..<headerLength).map { UInt8(truncatingIfNeeded: length >> (8 * UInt64(headerLength - 1 - $0))) }
    }

    /// The number of bytes that follow.
    ///
    /// - Parameters:
    ///   - header: What came before the contents.
    ///   - limit: How many there may be.
    /// - Returns: The number; nil when the header is cut short, or says more than `limit`.
    public static func length(header: some Collection<UInt8>, limit: Int) -> Int? {
        guard header.count == headerLength else { return nil }
        let length = header.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return length <= UInt64(max(0, limit)) ? Int(length) : nil
    }
}
