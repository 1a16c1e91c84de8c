// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Encodes a URL as its text and its base's text, so that it compares equal at the other end.
extension WireUrl {
    init(checking url: URL) throws(WireError) {
        text = url.relativeString
        if let base = url.baseURL { self.base = base.relativeString }
        guard try checked() == url else { throw WireError(.invalidField, "a URL that cannot be carried as it is") }
    }

    /// Returns the URL exactly as written, and throws if Foundation would have to correct it.
    func checked() throws(WireError) -> URL {
        try Self.url(text, relativeTo: hasBase ? Self.url(base, relativeTo: nil) : nil)
    }

    private static func url(_ text: String, relativeTo base: URL?) throws(WireError) -> URL {
        try Limit.marks(text, "URL")
        guard let url = URL(string: text, relativeTo: base), url.relativeString.utf8.elementsEqual(text.utf8) else {
            throw WireError(.invalidField, "not a URL")
        }
        return url
    }
}
