// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import FoundationEssentials

/// The pages that were opened in the default browser by their address alone. The browser's
/// extension takes the rest of the activity when the page is in a tab.
struct OpenedPages: Sendable {
    /// How long an opened page waits for the extension. A browser that has to start first may take
    /// long.
    static let patience = Duration.seconds(120)
    /// The maximum number of waiting pages. If more pages wait, the oldest page is dropped.
    static let maximum = 8

    /// The waiting pages. `end` is the time at which the page is forgotten, or nil while the page
    /// is being opened.
    private var waiting: [(page: OpenedPage, activity: ContinuedActivity, end: Duration?)] = []
    private var last: UInt64 = 0
    /// The extensions that are informed of opened pages.
    private(set) var followers: Set<ClientID> = []
    /// Whether any extension has followed pages since the daemon's start. An extension follows only
    /// after the user agreed to it. The agreement remains when the browser is closed.
    private(set) var hasBeenFollowed = false

    /// The pages that no extension has taken, in the order in which they were opened.
    var all: [OpenedPage] { waiting.map(\.page) }

    /// When to call ``timePassed(at:)`` next, or nil for never.
    var deadline: Duration? { waiting.compactMap { $0.end }.min() }

    /// Forgets the pages that have waited too long.
    mutating func timePassed(at uptime: Duration) { waiting.removeAll { $0.end.map { $0 <= uptime } ?? false } }

    /// Records that a page is about to be opened.
    ///
    /// - Returns: The page, or nil if the activity is not a web page in a browser. Such an activity
    ///   has no reading position for the extension.
    mutating func add(_ activity: ContinuedActivity) -> OpenedPage? {
        guard activity.activity.activityType == ActivityState.browsingWeb,
            let address = activity.activity.webpageURL?.absoluteString
        else { return nil }
        last += 1
        let page = OpenedPage(page: "p\(last)", address: address)
        if waiting.count >= Self.maximum { waiting.removeFirst() }
        waiting.append((page, activity, nil))
        return page
    }

    /// Records that a page was opened, and starts its time limit.
    mutating func opened(_ page: String, at uptime: Duration) {
        guard let place = waiting.firstIndex(where: { $0.page.page == page }) else { return }
        waiting[place].end = uptime + Self.patience
    }

    /// Removes a page that an extension takes, or that did not open. Returns its activity, or nil
    /// if the page does not wait any more.
    mutating func remove(_ page: String) -> ContinuedActivity? {
        waiting.firstIndex { $0.page.page == page }.map { waiting.remove(at: $0).activity }
    }

    mutating func follow(_ client: ClientID) {
        followers.insert(client)
        hasBeenFollowed = true
    }

    /// Removes an extension that has left the bus.
    mutating func leave(_ client: ClientID) { followers.remove(client) }
}
