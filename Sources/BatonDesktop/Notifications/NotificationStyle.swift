// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonBus
public import DesktopEntries

/// What notifications of offers and hand-overs look like, on the screen as it is now.
public struct NotificationStyle: Sendable {
    /// What a locked screen shows of an offer.
    public enum OnLockScreen: String, CaseIterable, Sendable {
        /// Nothing.
        case hide
        /// The app's name only.
        case app
        /// The same as ever.
        case full
    }

    /// How much is shown while the screen is locked.
    public var onLockScreen: OnLockScreen
    /// Whether the screen is locked.
    public var isLocked: Bool

    /// The action of a click.
    public static let continueAction = "default"

    /// Notifications on a screen.
    public init(onLockScreen: OnLockScreen = .app, isLocked: Bool = false) {
        self.onLockScreen = onLockScreen
        self.isLocked = isLocked
    }

    /// The notification of an offer.
    ///
    /// - Parameters:
    ///   - app: The app that would continue it; nil when there is none.
    ///   - isFromHere: Whether the activity was given away by this device, or is open on it. Its
    ///     user has left with it, and need not be asked to take it back for as long as it is there:
    ///     it is shown briefly.
    ///   - findsPlace: Whether a browser here is known to go to the place in a page.
    /// - Returns: Nil when nothing is to be shown: nobody here continues it and it has no web page,
    ///   or the screen is locked.
    public func notification(
        of offer: OfferSummary, app: DesktopEntry?, isFromHere: Bool = false, findsPlace: Bool = true
    ) -> Notification? {
        guard app != nil || offer.hasWebpage, !isLocked || onLockScreen != .hide else { return nil }
        let what = app?.name ?? "Web page"
        var notification = Notification(
            summary: what, icon: Self.icon(of: app), application: app?.identifier,
            actions: [.init(Self.continueAction, app == nil ? "Continue in your browser" : "Continue")],
            stay: isFromHere ? .briefly : .untilAnswered)
        guard !isLocked || onLockScreen == .full else { return notification }
        notification.summary = "\(what) from \(offer.deviceName)"
        notification.body = offer.title ?? (app == nil ? "Continue in your browser" : "")
        notification.bodyWithoutActions = offer.title ?? ""
        if app == nil, offer.type == ActivityState.browsingWeb, !findsPlace {
            notification.body += ". \(Self.atItsTop)"
        }
        return notification
    }

    /// What keeps a page from being opened where its reader was.
    static let atItsTop = "The page opens at its top until you agree to Baton's extension in the browser."

    /// Baton's icon for web pages: themes agree on none.
    static let webPageIcon = "org.batonproject.Baton.WebPage"

    /// The icon of what goes on in an app, or in the browser.
    private static func icon(of app: DesktopEntry?) -> String? { app.map(\.icon) ?? webPageIcon }

    /// The action that gives a hand-over up.
    public static let cancelAction = "cancel"

    /// The notification of a hand-over.
    ///
    /// - Returns: Nil when nothing is to be shown, for the screen is locked.
    func notification(of notice: HandoverNotice) -> Notification? {
        guard !isLocked || onLockScreen != .hide else { return nil }
        let isPrivate = isLocked && onLockScreen != .full
        switch notice {
        case .progress(let coming, let app):
            let what = app?.name ?? "Web page"
            return Notification(
                summary: what, body: isPrivate ? "Continuing…" : "Continuing from \(coming.deviceName)…",
                icon: Self.icon(of: app), application: app?.identifier,
                actions: [.init(Self.cancelAction, "Cancel")], stay: .untilRemoved)
        case .failure(let device, let app, let message):
            let failed = "\(app?.name ?? "Baton") could not continue"
            var notification = Notification(summary: failed, icon: app?.icon, application: app?.identifier)
            guard !isPrivate else { return notification }
            if let device { notification.summary = "\(failed) from \(device)" }
            notification.body = message
            return notification
        }
    }
}
