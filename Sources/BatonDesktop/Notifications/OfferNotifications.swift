// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DesktopEntries

/// What the notifications of offers look like.
public struct OfferNotifications: Sendable {
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

    /// The action of a click.
    public static let continueAction = "default"

    /// Notifications of offers.
    public init(onLockScreen: OnLockScreen = .app) { self.onLockScreen = onLockScreen }

    /// The notification of an offer.
    ///
    /// - Parameters:
    ///   - app: The app that would continue it; nil when there is none.
    ///   - isLocked: Whether the screen is locked.
    /// - Returns: nil when nothing is to be shown: nobody here continues it and it has no web page, or the screen is locked.
    public func notification(of offer: OfferSummary, app: DesktopEntry?, isLocked: Bool) -> Notification? {
        guard app != nil || offer.hasWebpage, !isLocked || onLockScreen != .hide else { return nil }
        let what = app?.name ?? "Web page"
        var notification = Notification(
            summary: what, icon: app?.icon ?? (app == nil ? "web-browser" : nil), application: app?.identifier,
            actions: [.init(Self.continueAction, app == nil ? "Continue in your browser" : "Continue")], isLasting: true
        )
        guard !isLocked || onLockScreen == .full else { return notification }
        notification.summary = "\(what) from \(offer.deviceName)"
        notification.body = offer.title ?? (app == nil ? "Continue in your browser" : "")
        return notification
    }

    /// The notification while an activity is being fetched and the app shows nothing.
    public func progress(_ coming: ComingActivity, app: DesktopEntry) -> Notification {
        Notification(
            summary: app.name, body: "Continuing from \(coming.deviceName)…", icon: app.icon,
            application: app.identifier, actions: [.init(Self.cancelAction, "Cancel")], isLasting: true)
    }

    /// The action that gives a hand-over up.
    public static let cancelAction = "cancel"

    /// The notification of a hand-over that failed where the app does not say so.
    public func failure(_ coming: ComingActivity, app: DesktopEntry, _ error: BatonBusError) -> Notification {
        Notification(
            summary: "\(app.name) could not continue from \(coming.deviceName)", body: error.message, icon: app.icon,
            application: app.identifier)
    }
}
