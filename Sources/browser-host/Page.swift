// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import FoundationEssentials

/// A page that may be offered: its address, and its title if it has one.
struct Page: Hashable {
    /// The longest title, in bytes: what is longer is cut.
    static let maximumTitle = ActivityState.maximumTitleLength

    let url: URL
    let title: String?

    /// - Parameters:
    ///   - address: The page's address, which has been looked at.
    ///   - title: What the page calls itself, whatever that is.
    init(_ address: WebAddress, title: String?) {
        url = address.url
        self.title = title.flatMap(Self.shown)
    }

    /// One line that can be shown; nil for a title that shows nothing.
    private static func shown(_ title: String) -> String? {
        var line = VisibleText.replacing(String(title.prefix(maximumTitle))) { _ in " " }
        while line.utf8.count > maximumTitle { line.removeLast() }
        return VisibleText.isBlank(line) ? nil : line
    }
}
