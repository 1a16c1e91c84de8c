// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Mastodon and Pocket Casts: a scene delegate with one function for activities that come with the
/// scene and for later ones.
@MainActor private final class TimelineScene: UIWindowSceneDelegate {
    var shown: [String] = []
    var isWaiting = false

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        shown.append("window")
        if let activity = connectionOptions.userActivities.first { show(activity) }
        isWaiting = connectionOptions.handoffUserActivityType != nil
    }

    func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) { isWaiting = true }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { show(userActivity) }

    func scene(
        _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: Error
    ) {
        isWaiting = false
        shown.append("failure")
    }

    private func show(_ activity: NSUserActivity) {
        isWaiting = false
        switch activity.activityType {
        case "org.example.timeline.post":
            guard let post = activity.userInfo?["post"] as? String else { return }
            shown.append("post \(post)")
        case NSUserActivityTypeBrowsingWeb:
            shown.append("page \(activity.webpageURL?.path ?? "")")
        default:
            break
        }
    }
}

@MainActor func timeline() async throws {
    let devices = Devices()
    let type = "org.example.timeline.post"
    let delegate = TimelineScene()
    let application = devices.application([type, NSUserActivityTypeBrowsingWeb])
    application.openScene = { [unowned application] in application.connectScene(delegate) }
    let post = NSUserActivity(activityType: type)
    post.userInfo = ["post": "p1"]
    post.becomeCurrent()
    try await devices.handOver(type, to: application)
    post.userInfo = ["post": "p2"]
    try await devices.handOver(type, to: application)
    let page = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
    page.webpageURL = URL(string: "https://example.org/@ada")
    page.becomeCurrent()
    try await devices.handOver(NSUserActivityTypeBrowsingWeb, to: application)
    await application.continueActivity(ofType: type) { throw CocoaError(.userActivityConnectionUnavailable) }
    let expected = ["window", "post p1", "post p2", "page /@ada", "failure"]
    try expect(delegate.shown == expected && !delegate.isWaiting, "the scene shows it all: \(delegate.shown)")
    for activity in [post, page] { activity.invalidate() }
}

/// Brave: each window has an activity, which restores it when the app is started again.
@MainActor private final class BrowserScene: UIWindowSceneDelegate {
    var window = ""

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        let activity = session.stateRestorationActivity ?? Self.activity(window: UUID().uuidString)
        window = activity.userInfo?["window"] as? String ?? ""
        scene.userActivity = activity
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { scene.userActivity }

    private static func activity(window: String) -> NSUserActivity {
        let activity = NSUserActivity(activityType: "org.example.browser.window")
        activity.addUserInfoEntries(from: ["window": window, "isPrivate": false])
        return activity
    }
}

@MainActor func windows() async throws {
    let devices = Devices()
    let application = devices.application([])
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    func start(_ name: String) throws -> String {
        let delegate = BrowserScene()
        let session = UISceneSession(
            persistentIdentifier: name, stateFile: directory.appendingPathComponent(name))
        let scene = application.connectScene(delegate, session: session)
        try scene.saveState()
        application.disconnectScene(scene)
        return delegate.window
    }
    let (first, second) = (try start("first"), try start("second"))
    try expect(first != "" && first != second, "each window is another")
    try expect(try start("second") == second && start("first") == first, "each window comes back")
}
