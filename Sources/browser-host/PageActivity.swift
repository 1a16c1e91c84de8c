// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonClient
import FoundationEssentials
import Synchronization

/// The page that the user looks at. One that has not moved between laptops is followed by the next
/// page in the same activity.
final class PageActivity: PublishedActivity {
    /// `NSUserActivityTypeBrowsingWeb`, which browsers publish and continue.
    static let type = ActivityState.browsingWeb

    /// What is asked of the page only when another laptop carries on.
    struct Reading {
        /// Where its reader is.
        var place: PagePlace?
        /// The page that led to it.
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

    /// - Parameters:
    ///   - connection: Where it is published.
    ///   - read: Asks the page of this address; nil when it does not answer.
    init(on connection: DaemonConnection, read: @escaping @Sendable (URL) async -> Reading?) {
        self.connection = connection
        self.read = read
    }

    var isOfferedNow: Bool { stored.withLock { $0.isOffered } }
    var isInvalidated: Bool { false }
    var needsSave: Bool { stored.withLock { $0.needsSave } }
    var currentState: ActivityState { stored.withLock { $0.state } }
    /// What the user looks at; nil while that is nothing that is offered.
    var shown: Page? { stored.withLock { $0.isOffered ? $0.page : nil } }
    /// The page that the daemon had last when it asked; the user may look at another by now.
    var handedOver: URL? { stored.withLock { $0.handedOver } }

    /// The user looks at this page.
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

    /// The user looks at something else.
    func hide() {
        stored.withLock { ($0.isOffered, $0.needsSave) = (false, false) }
        connection.activityResignedCurrent()
    }

    /// The daemon has the page, but not for long the place: it is to ask before it hands it over.
    func wantToBeAsked() {
        let isOffered = stored.withLock { stored in
            stored.needsSave = stored.isOffered
            return stored.isOffered
        }
        if isOffered { connection.activityChanged(self) }
    }

    /// With the place, if the daemon asks for what is newer; what is published first has none.
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
    /// It as an activity, with no place in it yet.
    fileprivate var activity: ActivityState {
        ActivityState(activityType: PageActivity.type, title: title, webpageURL: url)
    }
}
