// SPDX-License-Identifier: Apache-2.0

import ActivityModel
public import BatonBus
public import DesktopEntries
import Wording

/// The style of notifications about offers and hand-overs, for the current state of the screen.
public struct NotificationStyle: Sendable {
    /// How much of an offer a locked screen shows.
    public enum OnLockScreen: String, CaseIterable, Sendable {
        /// The lock screen shows nothing of an offer.
        case hide
        /// The lock screen shows only the app's name.
        case app
        /// The lock screen shows the same as an unlocked screen.
        case full
    }

    /// How much is shown while the screen is locked.
    public var onLockScreen: OnLockScreen
    /// Whether the screen is locked.
    public var isLocked: Bool

    /// The action of a click on the notification.
    public static let continueAction = "default"

    /// Creates a style.
    public init(onLockScreen: OnLockScreen = .app, isLocked: Bool = false) {
        self.onLockScreen = onLockScreen
        self.isLocked = isLocked
    }

    /// Returns the notification of an offer.
    ///
    /// - Parameters:
    ///   - app: The app that would continue the offer, or nil if there is none.
    ///   - isFromHere: Whether this device handed the activity over or has it open. The user has
    ///     moved on with the activity and need not be asked to take it back, so the notification is
    ///     brief.
    ///   - findsPlace: Whether a browser here can go to the reading position in a page.
    /// - Returns: The notification, or nil if neither an app nor the browser can continue the
    ///   offer, or the locked screen hides it.
    public func notification(
        of offer: OfferSummary, app: DesktopEntry?, isFromHere: Bool = false, findsPlace: Bool = true
    ) -> Notification? {
        guard app != nil || offer.hasWebpage, !isLocked || onLockScreen != .hide else { return nil }
        var notification = Notification(
            summary: app?.name ?? tr("A web page"), icon: Self.icon(of: app), application: app?.identifier,
            actions: [.init(Self.continueAction, tr("Continue"))], stay: isFromHere ? .briefly : .untilAnswered)
        guard !isLocked || onLockScreen == .full else { return notification }
        notification.summary = Self.summary(of: offer, app)
        let title = offer.title.map(ForeignText.isolated)
        notification.body = title ?? (app == nil ? tr("Continue it in your browser.") : "")
        notification.bodyWithoutActions = title ?? ""
        if app == nil, offer.type == ActivityState.browsingWeb, !findsPlace {
            notification.body += "\n" + Self.atItsTop
        }
        return notification
    }

    private static func summary(of offer: OfferSummary, _ app: DesktopEntry?) -> String {
        guard let app else { return tr("A web page from \"{laptop}\"", isolating: ["laptop": offer.deviceName]) }
        return tr("{app} from \"{laptop}\"", isolating: ["app": app.name, "laptop": offer.deviceName])
    }

    /// The hint that a page opens at its top, and how the user can change that.
    static var atItsTop: String {
        tr("The page opens at its top until you agree to Baton's extension in the browser.")
    }

    /// Baton's own icon for web pages, because icon themes have no common icon for them.
    static let webPageIcon = "org.batonproject.Baton.WebPage"

    /// Returns the icon of an app, or of web pages if there is no app.
    private static func icon(of app: DesktopEntry?) -> String? { app.map(\.icon) ?? webPageIcon }

    /// The action that cancels a hand-over.
    public static let cancelAction = "cancel"

    /// Returns the notification of a hand-over.
    ///
    /// - Returns: The notification, or nil if the locked screen hides it.
    func notification(of notice: HandoverNotice) -> Notification? {
        guard !isLocked || onLockScreen != .hide else { return nil }
        let isPrivate = isLocked && onLockScreen != .full
        switch notice {
        case .progress(let coming, let app):
            return Notification(
                summary: app?.name ?? tr("A web page"),
                body: isPrivate
                    ? tr("Continuing…")
                    : tr("Continuing from \"{laptop}\"…", isolating: ["laptop": coming.deviceName]),
                icon: Self.icon(of: app), application: app?.identifier,
                actions: [.init(Self.cancelAction, tr("Cancel"))], stay: .untilRemoved)
        case .failure(let device, let app, let message):
            var notification = Notification(
                summary: Self.failed(app, from: isPrivate ? nil : device), icon: app?.icon,
                application: app?.identifier)
            if !isPrivate { notification.body = message }
            return notification
        }
    }

    /// Returns the title of the notification about a failed hand-over.
    private static func failed(_ app: DesktopEntry?, from laptop: String?) -> String {
        switch (app?.name, laptop) {
        case (let app?, let laptop?):
            tr("{app} could not continue what \"{laptop}\" offered", isolating: ["app": app, "laptop": laptop])
        case (let app?, nil): tr("{app} could not continue it", isolating: ["app": app])
        case (nil, let laptop?):
            tr("What \"{laptop}\" offered could not be continued", isolating: ["laptop": laptop])
        case (nil, nil): tr("It could not be continued")
        }
    }
}
