// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import FoundationEssentials

/// Pages that the default browser was given by their address alone. Its extension takes what else
/// the activity says, once it has the page in a tab.
struct OpenedPages: Sendable {
    /// How long an opened one waits to be taken: a browser that is started first may take long.
    static let patience = Duration.seconds(120)
    /// How many wait at most; the oldest goes first.
    static let maximum = 8

    /// The end is when a page is forgotten; nil while it is being opened.
    private var waiting: [(page: OpenedPage, activity: ContinuedActivity, end: Duration?)] = []
    private var last: UInt64 = 0
    /// Who is told.
    private(set) var followers: Set<ClientID> = []
    /// Whether anybody was told since the daemon's start. The extension follows only once the user
    /// has agreed to it, and a browser that was closed meanwhile keeps that.
    private(set) var hasBeenFollowed = false

    /// Those that nobody has taken, in the order in which they were opened.
    var all: [OpenedPage] { waiting.map(\.page) }

    /// When to ``timePassed(at:)`` next; nil for never.
    var deadline: Duration? { waiting.compactMap { $0.end }.min() }

    /// Forgets those that nobody has taken in time.
    mutating func timePassed(at uptime: Duration) { waiting.removeAll { $0.end.map { $0 <= uptime } ?? false } }

    /// A page is about to be opened.
    ///
    /// - Returns: Nil for an activity that is no web page: nothing is known of where its reader is.
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

    /// A page was opened: its time begins.
    mutating func opened(_ page: String, at uptime: Duration) {
        guard let place = waiting.firstIndex(where: { $0.page.page == page }) else { return }
        waiting[place].end = uptime + Self.patience
    }

    /// Somebody takes a page, or it did not open.
    mutating func remove(_ page: String) -> ContinuedActivity? {
        waiting.firstIndex { $0.page.page == page }.map { waiting.remove(at: $0).activity }
    }

    /// A program wants to be told.
    mutating func follow(_ client: ClientID) {
        followers.insert(client)
        hasBeenFollowed = true
    }

    /// A program has gone.
    mutating func leave(_ client: ClientID) { followers.remove(client) }
}
