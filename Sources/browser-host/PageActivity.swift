// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonClient
import FoundationEssentials
import Synchronization

/// The activity of the page that the user looks at. The next page reuses it, unless a page was
/// handed over.
final class PageActivity: PublishedActivity {
    /// `NSUserActivityTypeBrowsingWeb`, which browsers publish and continue.
    static let type = ActivityState.browsingWeb

    /// The details for which the page is asked when another laptop continues it.
    struct Reading {
        /// The place of the page's reader.
        var place: PagePlace?
        /// The page that led to this one.
        var referrer: URL?
    }

    private struct Stored {
        var page: Page?
        var state = ActivityState(activityType: PageActivity.type)
        var isOffered = false
        var needsSave = false
        var handedOver: URL?
    }

    let identity = ActivityIdentity()
    private let connection: DaemonConnection
    private let read: @Sendable (URL) async -> Reading?
    private let stored = Mutex(Stored())

    /// Creates an activity without a page.
    ///
    /// - Parameters:
    ///   - connection: The connection that publishes the activity.
    ///   - read: Asks the page at an address for its details. Returns `nil` if the page does not
    ///     answer.
    init(on connection: DaemonConnection, read: @escaping @Sendable (URL) async -> Reading?) {
        self.connection = connection
        self.read = read
    }

    var isOfferedNow: Bool { stored.withLock { $0.isOffered } }
    var needsSave: Bool { stored.withLock { $0.needsSave } }
    var currentState: ActivityState { stored.withLock { $0.state } }
    /// The page that the user looks at, or `nil` if no page is offered.
    var shown: Page? { stored.withLock { $0.isOffered ? $0.page : nil } }
    /// The page that the daemon fetched last. The user may look at another page by now.
    var handedOver: URL? { stored.withLock { $0.handedOver } }

    /// Offers the page that the user now looks at.
    func show(_ page: Page) {
        let (isChanged, wasOffered) = stored.withLock { stored in
            defer { stored.isOffered = true }
            let isChanged = stored.page != page
            if isChanged { (stored.page, stored.state) = (page, page.activity) }
            return (isChanged, stored.isOffered)
        }
        if !wasOffered {
            connection.activityBecameCurrent(self)
        } else if isChanged {
            wantToBeAsked()
        }
    }

    /// Offers nothing, because the user looks at something else.
    func hide() {
        stored.withLock { ($0.isOffered, $0.needsSave) = (false, false) }
        connection.activityResignedCurrent()
    }

    /// Tells the daemon to ask for the reader's place before it hands the page over.
    ///
    /// The place changes all the time, so it is not sent with every change.
    func wantToBeAsked() {
        let isOffered = stored.withLock { stored in
            stored.needsSave = stored.isOffered
            return stored.isOffered
        }
        if isOffered { connection.activityChanged(self) }
    }

    /// Returns the state, with the reader's place if the daemon asks for an update. The first
    /// publication has no place.
    func saved() async -> ActivityState {
        let asked = stored.withLock { stored in
            defer { (stored.needsSave, stored.handedOver) = (false, stored.state.webpageURL) }
            return stored.needsSave ? stored.state.webpageURL : nil
        }
        guard let asked else { return currentState }
        let found = await read(asked)
        return stored.withLock { stored in
            if stored.state.webpageURL == asked {
                stored.state.userInfo = found?.place?.userInfo ?? [:]
                stored.state.referrerURL = found?.referrer
            }
            return stored.state
        }
    }

    func outgoing(_ state: ActivityState) -> ActivityState { state }

    func wasContinued() async {}

    func receive(_ streams: ContinuationStreams, by connection: DaemonConnection) async -> Bool { false }
}

extension Page {
    /// The page as an activity, without a place.
    fileprivate var activity: ActivityState {
        ActivityState(activityType: PageActivity.type, title: title, webpageURL: url)
    }
}
