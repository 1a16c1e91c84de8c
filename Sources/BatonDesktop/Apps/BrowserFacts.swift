// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The files that a web browser needs to take part: the extension, and the manifest of its host
/// (Documentation/Browser.md).
struct BrowserFacts {
    /// A description of what a browser hands over, in English.
    static let goesOn = "page, place in it, and the second of a video"
    static let package = "baton-browser"

    private static let host = "org.batonproject.browser_host.json"
    private static let firefox = BrowserFacts(files: [
        "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/browser@batonproject.org/manifest.json",
        "/usr/lib/mozilla/native-messaging-hosts/\(host)",
    ])
    private static let chromium = BrowserFacts(files: [
        "/usr/share/chromium/extensions/baton/manifest.json", "/etc/chromium/native-messaging-hosts/\(host)",
    ])
    /// The browsers that are known to take the extension from the system, by the ids of their
    /// desktop entries. Other builds of Firefox accept only extensions that Mozilla has signed.
    private static let all = ["firefox-esr": firefox, "chromium": chromium]

    /// The files, all of which must exist.
    let files: [String]

    private init(files: [String]) { self.files = files }

    /// Finds a browser by the id of its desktop entry. Returns nil for any other app.
    init?(of application: String) {
        guard let found = Self.all[application] else { return nil }
        self = found
    }

    /// Returns whether all files exist below a root.
    func isComplete(below root: String) -> Bool { files.allSatisfy { access(root + $0, F_OK) == 0 } }
}
