// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import FoundationEssentials

/// A page that may be offered: an address and an optional title.
struct Page: Hashable {
    /// The largest size of a title, in bytes. Longer titles are cut.
    static let maximumTitle = ActivityState.maximumTitleLength

    let url: URL
    let title: String?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - address: The page's address, which was checked already.
    ///   - title: The title that the page gives itself, unchecked.
    init(_ address: WebAddress, title: String?) {
        url = address.url
        self.title = title.flatMap(Self.shown)
    }

    /// Returns a title as one visible line, or `nil` if the title has nothing visible.
    private static func shown(_ title: String) -> String? {
        var line = VisibleText.replacing(String(title.prefix(maximumTitle))) { _ in " " }
        while line.utf8.count > maximumTitle { line.removeLast() }
        return VisibleText.isBlank(line) ? nil : line
    }
}
