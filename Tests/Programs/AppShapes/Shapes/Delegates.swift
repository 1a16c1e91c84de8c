// SPDX-License-Identifier: Apache-2.0

import Foundation

/// SuperDelegate: the app's delegate turns each call into a value and passes it on.
@MainActor private protocol ContinuityCapable: AnyObject {
    func willContinue(_ type: String) -> Bool
    func continues(_ activity: NSUserActivity, restore: @escaping ([UIUserActivityRestoring]?) -> Void) -> Bool
    func failed(_ failure: Error)
}

@MainActor private final class ForwardingDelegate: NSObject, UIApplicationDelegate {
    weak var target: (any ContinuityCapable)?

    func application(_ application: UIApplication, willContinueUserActivityWithType userActivityType: String) -> Bool {
        target?.willContinue(userActivityType) ?? false
    }

    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        target?.continues(userActivity, restore: restorationHandler) ?? false
    }

    func application(
        _ application: UIApplication, didFailToContinueUserActivityWithType userActivityType: String, error: Error
    ) {
        let code = (error as NSError).code
        if code != CocoaError.userCancelled.rawValue { target?.failed(error) }
    }
}

@MainActor private final class App: ContinuityCapable {
    var log: [String] = []
    func willContinue(_ type: String) -> Bool {
        log.append("will")
        return true
    }
    func continues(_ activity: NSUserActivity, restore: @escaping ([UIUserActivityRestoring]?) -> Void) -> Bool {
        log.append("continue \(activity.userInfo?["id"] as? Int ?? 0)")
        restore(nil)
        return true
    }
    func failed(_ failure: Error) { log.append("failed") }
}

@MainActor func forwarding() async throws {
    let devices = Devices()
    let type = "org.example.forwarded"
    let (app, delegate) = (App(), ForwardingDelegate())
    delegate.target = app
    let application = devices.application([type], delegate)
    let activity = NSUserActivity(activityType: type)
    activity.userInfo = ["id": 5]
    activity.becomeCurrent()
    try await devices.handOver(type, to: application)
    await application.continueActivity(ofType: type) { throw CocoaError(.userCancelled) }
    await application.continueActivity(ofType: type) { throw CocoaError(.userActivityHandoffFailed) }
    try expect(app.log == ["will", "continue 5", "will", "will", "failed"], "each call is passed on: \(app.log)")
    activity.invalidate()
}

/// Kickstarter: a page of the app's own site is a place in the app.
@MainActor private final class LinkDelegate: UIApplicationDelegate {
    enum Place: Equatable {
        case project(String), discovery
    }
    var places: [Place] = []

    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        guard userActivity.activityType == NSUserActivityTypeBrowsingWeb, let url = userActivity.webpageURL,
            let components = URLComponents(url: url, resolvingAgainstBaseURL: true), components.host == "example.org"
        else { return false }
        let parts = components.path.split(separator: "/").map(String.init)
        places.append(parts.count == 2 && parts[0] == "projects" ? .project(parts[1]) : .discovery)
        return true
    }
}

@MainActor func links() async throws {
    let devices = Devices()
    let delegate = LinkDelegate()
    let application = devices.application([NSUserActivityTypeBrowsingWeb], delegate)
    let page = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
    for path in ["projects/soup", "discover"] {
        page.webpageURL = URL(string: "https://example.org/\(path)?ref=1")
        page.becomeCurrent()
        try await devices.handOver(NSUserActivityTypeBrowsingWeb, to: application)
    }
    try expect(delegate.places == [.project("soup"), .discovery], "links lead into the app: \(delegate.places)")
    page.webpageURL = URL(string: "https://example.com/")
    let offer = await devices.sofa.offer(ofType: NSUserActivityTypeBrowsingWeb)
    let taken = await application.continueOffer(offer, as: devices.sofa)
    try expect(taken == nil, "another site's page is declined")
    page.invalidate()
}

/// WWDC: AppKit's form of the delegate, for a session of the conference with its web page.
@MainActor private final class ConferenceDelegate: NSObject, NSApplicationDelegate {
    var session: String?
    var isSilent = false

    func application(
        _ application: NSApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([NSUserActivityRestoring]) -> Void
    ) -> Bool {
        guard let session = userActivity.userInfo?["session"] as? String else { return false }
        self.session = session
        return true
    }
}

extension NSUserActivity {
    fileprivate class func watching(session: String, at page: URL?) -> NSUserActivity {
        let activity = NSUserActivity(activityType: "org.example.conference.watching")
        activity.title = "Session \(session)"
        activity.webpageURL = page
        activity.userInfo = ["session": session]
        activity.targetContentIdentifier = session
        return activity
    }
}

@MainActor func conference() async throws {
    let devices = Devices()
    let delegate = ConferenceDelegate()
    let activity = NSUserActivity.watching(session: "101", at: URL(string: "https://example.org/101"))
    activity.becomeCurrent()
    let application = devices.application([activity.activityType], delegate)
    try await devices.handOver(activity.activityType, to: application)
    try expect(delegate.session == "101", "the session is shown")
    activity.invalidate()
}

/// Loop: the app's delegate restores the root, which passes the activity on to a child.
@MainActor private final class StatusScreen: UserActivityResponder {
    var shown: [String] = []
    func restoreUserActivityState(_ activity: NSUserActivity) {
        if activity.activityType == NSUserActivity.newEntryType { shown.append(activity.title ?? "") }
    }
}

@MainActor private final class RootScreen: UserActivityResponder {
    let children = [StatusScreen(), StatusScreen()]
    func restoreUserActivityState(_ activity: NSUserActivity) {
        children.first?.restoreUserActivityState(activity)
    }
}

extension NSUserActivity {
    fileprivate static let newEntryType = "org.example.loop.entry"

    fileprivate class func forNewEntry() -> NSUserActivity {
        let activity = NSUserActivity(activityType: newEntryType)
        activity.isEligibleForSearch = false
        activity.isEligibleForPublicIndexing = false
        activity.title = "Add an entry"
        return activity
    }
}

@MainActor private final class RootDelegate: UIApplicationDelegate {
    let root = RootScreen()
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        restorationHandler([root])
        return true
    }
}

@MainActor func children() async throws {
    let devices = Devices()
    let delegate = RootDelegate()
    let activity = NSUserActivity.forNewEntry()
    activity.becomeCurrent()
    try await devices.handOver(activity.activityType, to: devices.application([activity.activityType], delegate))
    let shown = delegate.root.children.map(\.shown)
    try expect(shown == [["Add an entry"], []], "the first child shows it: \(shown)")
    activity.invalidate()
}

/// WaterMe: types as an enum, one object that fills activities when asked, and one string for kind
/// and number.
private enum RawActivity: String {
    case editReminder = "org.example.plants.edit"
    case viewReminder = "org.example.plants.view"
}

private final class ActivityUpdater: NSObject, NSUserActivityDelegate {
    private let update: (NSUserActivity) -> Void
    init(_ update: @escaping (NSUserActivity) -> Void) { self.update = update }
    func userActivityWillSave(_ userActivity: NSUserActivity) { update(userActivity) }
}

extension NSUserActivity {
    fileprivate convenience init(kind: RawActivity, delegate: NSUserActivityDelegate) {
        self.init(activityType: kind.rawValue)
        self.delegate = delegate
        isEligibleForHandoff = true
        isEligibleForPrediction = true
        requiredUserInfoKeys = ["unique"]
    }

    fileprivate var restored: (RawActivity, Int)? {
        guard let kind = RawActivity(rawValue: activityType), let unique = userInfo?["unique"] as? String,
            let number = unique.components(separatedBy: "::").last.flatMap({ Int($0) })
        else { return nil }
        return (kind, number)
    }
}

@MainActor func reminders() async throws {
    let devices = Devices()
    let updater = ActivityUpdater { activity in
        activity.title = "Water the fern"
        activity.addUserInfoEntries(from: ["unique": "\(activity.activityType)::42"])
    }
    let activities = [RawActivity.viewReminder, .editReminder].map { NSUserActivity(kind: $0, delegate: updater) }
    for activity in activities {
        activity.needsSave = true
        activity.becomeCurrent()
        let arrived = try await devices.handOver(activity.activityType)
        try expect(arrived.restored?.0.rawValue == activity.activityType, "the kind arrives")
        try expect(arrived.restored?.1 == 42 && arrived.title == "Water the fern", "the reminder arrives")
    }
    for activity in activities { activity.invalidate() }
}
