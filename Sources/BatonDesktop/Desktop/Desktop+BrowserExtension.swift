// SPDX-License-Identifier: Apache-2.0

public import BatonBus

/// Pages at their place: the default browser gets the address, its extension the rest.
extension Desktop {
    /// Has a browser's extension told of the pages that are opened from now on.
    ///
    /// - Parameter client: The extension's program, until ``clientLeft(_:)``.
    /// - Returns: Those that were opened of late, which nobody has taken.
    public func followPages(_ client: ClientID) -> [OpenedPage] {
        let isFirst = !openedPages.hasBeenFollowed
        openedPages.follow(client)
        // Notifications no longer say that pages open at their top.
        if isFirst { refreshAll() }
        return openedPages.all
    }

    /// Gives a page's activity to the extension of the browser that shows it, once.
    ///
    /// - Throws: ``BatonError`` with `notFound`.
    public func takePage(_ page: String) throws -> ContinuedActivity {
        guard let activity = openedPages.remove(page) else {
            throw BatonError(.notFound, "there is no page \(page) any more, or another browser has taken it")
        }
        return activity
    }

    /// A program has left the bus.
    public func clientLeft(_ client: ClientID) {
        openedPages.leave(client)
        if withheldItems.leave(client) { tellPanel() }
    }

    /// How many entries each table has that other programs make larger, by name.
    public var counts: [String: Int] {
        [
            "openedPages": openedPages.all.count, "openings": openings.count,
            "pageFollowers": openedPages.followers.count, "withheld": withheldItems.count,
        ]
    }

    /// Has the browser open an activity's page, of which extensions are told before: the tab may be
    /// there before the body returns.
    func withPage(of activity: ContinuedActivity, _ open: () async throws -> Void) async throws {
        guard let page = openedPages.add(activity) else { return try await open() }
        for follower in openedPages.followers { await host.tellOpened(page, to: follower) }
        do {
            try await open()
        } catch {
            _ = openedPages.remove(page.page)
            throw error
        }
        openedPages.opened(page.page, at: clock.uptime())
    }
}
