// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The format in which a document outside of all shared folders is sent.
///
/// The document's name is in userInfo, and its contents go through the continuation streams. The
/// entry ``UserActivityDocumentURLKey`` is `baton-document:/NAME`. If the name has control
/// characters, NAME has replacements for them, and `?bytes=/` with the exact name follows. The
/// stream contains the number of bytes, as 8 bytes with the most significant first, and then the
/// bytes. A stream that ends earlier is not a document.
public enum DocumentStream {
    /// The scheme of the URL that stands for such a document.
    public static let scheme = "baton-document"
    /// The length of the header before the contents, in bytes.
    public static let headerLength = 8
    /// The maximum length of a name, in UTF-8 bytes.
    public static let maximumNameLength = DocumentName.maximumLength

    /// Returns the URL for a document's name.
    ///
    /// - Parameter name: The file's name, without its folder.
    /// - Returns: The URL, or nil if `name` is not a file name.
    public static func url(name: String) -> URL? {
        DocumentName.isName(name) ? DocumentPath.url([name], scheme: scheme) : nil
    }

    /// Returns the name in a document's URL, in a form that is safe to show.
    ///
    /// - Parameter url: A URL from another device.
    /// - Returns: The name. Nil for another scheme, and for anything that is not a file name, such
    ///   as a path, `..` or control characters.
    public static func name(in url: URL) -> String? {
        guard let path = DocumentPath.shown(in: url, scheme: scheme), let name = PercentEncoding.decoded(path),
            DocumentName.isName(name), DocumentName.shown(name) == name
        else { return nil }
        return name
    }

    /// Returns the header for contents of the given length, in bytes.
    public static func header(length: Int) -> [UInt8] {
        let length = UInt64(max(0, length))
        return (0..<headerLength).map { UInt8(truncatingIfNeeded: length >> (8 * UInt64(headerLength - 1 - $0))) }
    }

    /// Reads the length of the contents from a header.
    ///
    /// - Parameters:
    ///   - header: The bytes before the contents.
    ///   - limit: The maximum length to accept, in bytes.
    /// - Returns: The length, or nil if the header is too short, or the length exceeds `limit`.
    public static func length(header: some Collection<UInt8>, limit: Int) -> Int? {
        guard header.count == headerLength else { return nil }
        let length = header.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return length <= UInt64(max(0, limit)) ? Int(length) : nil
    }
}
