// SPDX-License-Identifier: Apache-2.0

import Baton
import Foundation
import Glibc
import Testing
import UserActivity

private let type = "org.example.notes.editing"

private struct Offer: ContinuedOffer {
    let activity: UserActivity
    func accept() async {}
    func decline() async {}
}

/// A delegate that implements every member, and records its calls.
@MainActor private final class Whole: ApplicationSceneDelegate {
    var log: [String] = []
    var restoration: UserActivity?

    func scene(
        _ scene: ApplicationScene, willConnectTo session: ApplicationSceneSession,
        options connectionOptions: ApplicationScene.ConnectionOptions
    ) {
        let titles = connectionOptions.userActivities.compactMap(\.title).sorted()
        log.append("connect \(titles) \(connectionOptions.handoffUserActivityType ?? "nothing")")
    }

    func scene(_ scene: ApplicationScene, willContinueUserActivityWithType userActivityType: String) {
        log.append("will")
    }

    func scene(_ scene: ApplicationScene, continue userActivity: UserActivity) {
        log.append("continue \(userActivity.title ?? "")")
    }

    func scene(
        _ scene: ApplicationScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) { log.append("failed") }

    func scene(_ scene: ApplicationScene, didUpdate userActivity: UserActivity) {
        userActivity.addUserInfoEntries(from: ["version": 2])
    }

    func stateRestorationActivity(for scene: ApplicationScene) -> UserActivity? { restoration }
}

/// A delegate that implements only the member for continuing.
@MainActor private final class Continuing: ApplicationSceneDelegate {
    var titles: [String] = []
    func scene(_ scene: ApplicationScene, continue userActivity: UserActivity) {
        titles.append(userActivity.title ?? "")
    }
}

/// A delegate that implements no member.
@MainActor private final class Bare: ApplicationSceneDelegate {}

@MainActor private final class AppDelegate: ApplicationDelegate {
    var log: [String] = []

    func application(_ application: Application, willContinueUserActivityWithType type: String) -> Bool {
        log.append("will")
        return true
    }

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        log.append("continue \(userActivity.title ?? "")")
        return true
    }

    func application(_ application: Application, didFailToContinueUserActivityWithType type: String, error: any Error) {
        log.append("failed")
    }

    func application(_ application: Application, didUpdate userActivity: UserActivity) { log.append("update") }
}

@MainActor private final class Holder: UserActivityResponder {
    let activityCoordinator: ResponderCoordinator
    init(_ coordinator: ResponderCoordinator) { activityCoordinator = coordinator }
    func updateUserActivityState(_ activity: UserActivity) { activity.addUserInfoEntries(from: ["text": "a"]) }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct SceneTests {
    private let delegate = AppDelegate()
    private let coordinator = ResponderCoordinator()
    private let application: Application

    init() {
        application = Application(
            declaration: ApplicationDeclaration(activityTypes: [type]), delegate: delegate, coordinator: coordinator
        ) { _ in }
    }

    private func editing(_ title: String) -> UserActivity {
        let activity = UserActivity(activityType: type, host: nil)
        activity.title = title
        return activity
    }

    private func continues(_ title: String) async -> Bool {
        let activity = editing(title)
        return await application.continueActivity(ofType: type) { Offer(activity: activity) } != nil
    }

    private func fails() async {
        await application.continueActivity(ofType: type) { throw CocoaError(.userActivityConnectionUnavailable) }
    }

    @Test("A connected scene is called in place of the app's delegate")
    func sceneIsAskedInPlaceOfTheDelegate() async {
        let scene = Whole()
        application.connectScene(scene)
        #expect(await continues("Letter"))
        await fails()
        #expect(scene.log == ["connect [] nothing", "will", "continue Letter", "will", "failed"])
        #expect(delegate.log == [])
    }

    @Test("If the scene's delegate has no member for a call, the app's delegate gets it")
    func missingMembersAreTheAppDelegates() async {
        application.connectScene(Bare())
        #expect(await continues("Letter"))
        await fails()
        #expect(delegate.log == ["will", "continue Letter", "will", "failed"])
    }

    @Test("A scene may add to an activity of the app's responders that is handed over")
    func sceneIsToldOfUpdates() async {
        let holder = Holder(coordinator)
        let scene = application.connectScene(Whole())
        let activity = editing("Letter")
        holder.userActivity = activity
        #expect(await activity.saved().userInfo == ["text": "a", "version": .int(2)])
        application.disconnectScene(scene)
        activity.needsSave = true
        #expect(await activity.saved().userInfo == ["text": "a"])
        #expect(delegate.log == ["update"])
        withExtendedLifetime(holder) {}
    }

    @Test("The activity for which the app was started is in the first scene's userActivities")
    func coldStart() async {
        var opened = 0
        application.openScene = { opened += 1 }
        #expect(await continues("Letter"))
        #expect(await continues("Draft"))
        #expect(opened == 1)
        let (first, second) = (Whole(), Whole())
        application.connectScene(first)
        application.connectScene(second)
        #expect(first.log == ["connect [\"Draft\", \"Letter\"] nothing"])
        #expect(second.log == ["connect [] nothing"])
        #expect(delegate.log == ["will", "will"])
    }

    @Test("A scene that opens at once gets the activity when it is connected")
    func sceneOpensAtOnce() async {
        let scene = Whole()
        application.openScene = { [unowned application] in application.connectScene(scene) }
        #expect(await continues("Letter"))
        #expect(scene.log == ["connect [\"Letter\"] nothing"])
    }

    @Test("A scene that is connected during a fetch learns the type, and continues the activity")
    func sceneConnectsWhileFetching() async {
        let (waiting, fetched) = AsyncStream.makeStream(of: Void.self)
        let activity = editing("Letter")
        let continuing = Task {
            await application.continueActivity(ofType: type) {
                for await _ in waiting { break }
                return Offer(activity: activity)
            }
        }
        while delegate.log.isEmpty { await Task.yield() }
        let scene = Whole()
        application.connectScene(scene)
        fetched.yield()
        #expect(await continuing.value === activity)
        #expect(scene.log == ["connect [] \(type)", "continue Letter"])
    }

    @Test("A scene whose delegate has only the member for continuing gets earlier activities through that member")
    func delegateThatOnlyContinues() async {
        application.openScene = {}
        #expect(await continues("Letter"))
        let scene = Continuing()
        application.connectScene(scene)
        #expect(scene.titles == ["Letter"])
    }

    @Test("An activity goes to the active scene, or if none is active, to the scene that was connected last")
    func activeScene() async {
        let (first, second) = (Continuing(), Continuing())
        let (one, other) = (application.connectScene(first), application.connectScene(second))
        #expect(await continues("1"))
        application.activeScene = one
        #expect(await continues("2"))
        application.disconnectScene(one)
        #expect(application.activeScene === other)
        // A disconnected scene does not become active again.
        application.activeScene = one
        #expect(await continues("3"))
        #expect(first.titles == ["2"] && second.titles == ["1", "3"])
        #expect(application.connectedScenes.map(\.session.persistentIdentifier) == ["main"])
    }

    @Test("After the last window has closed, the next activity opens another")
    func windowIsOpenedAgain() async {
        var opened = 0
        let scene = application.connectScene(Continuing())
        application.openScene = { opened += 1 }
        #expect(await continues("1"))
        #expect(opened == 0)
        application.disconnectScene(scene)
        #expect(await continues("2"))
        #expect(opened == 1)
        let next = application.connectScene(Continuing())
        application.disconnectScene(next)
        #expect(await continues("3"))
        #expect(opened == 2)
    }

    @Test("The number of activities that wait for a scene is limited")
    func waitingActivitiesAreLimited() async {
        application.openScene = {}
        for number in 1...16 { #expect(await continues("\(number)")) }
        #expect(await !continues("17"))
        let scene = Continuing()
        application.connectScene(scene)
        #expect(scene.titles.count == 16)
        #expect(await continues("18"))
    }

    @Test("A scene's own activity ends with the scene")
    func activityEndsWithItsScene() {
        let scene = application.connectScene(Bare(), coordinator: coordinator)
        coordinator.mainChain = [scene]
        let activity = editing("Letter")
        scene.userActivity = activity
        #expect(activity.isCurrent)
        application.disconnectScene(scene)
        #expect(activity.isInvalidated)
    }
}

/// The saved state of a scene for its next run.
@MainActor @Suite(.timeLimit(.minutes(5))) struct SceneStateTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private let file: URL
    private let delegate = Whole()
    private let application = Application(
        declaration: ApplicationDeclaration(), delegate: nil, coordinator: ResponderCoordinator()
    ) { _ in }

    init() { file = directory.appending(path: "state/main.json") }

    private func session() -> ApplicationSceneSession { ApplicationSceneSession(stateFile: file) }

    private func editing() -> UserActivity {
        let activity = UserActivity(activityType: type, host: nil)
        activity.title = "Letter"
        activity.userInfo = ["place": 7, "zoom": Double.infinity]
        activity.requiredUserInfoKeys = ["place"]
        return activity
    }

    @Test("A scene is restored with the complete contents of its state restoration activity")
    func stateComesBack() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = session()
        #expect(first.stateRestorationActivity == nil)
        delegate.restoration = editing()
        try application.connectScene(delegate, session: first).saveState()
        #expect(first.stateRestorationActivity === delegate.restoration)
        let restored = try #require(session().stateRestorationActivity)
        #expect(restored.currentState == delegate.restoration?.currentState)
        #expect(!restored.isFromAnotherDevice && !restored.isCurrent)
    }

    @Test("Other users cannot read a scene's saved state")
    func stateIsPrivate() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        delegate.restoration = editing()
        let scene = application.connectScene(delegate, session: session())
        try scene.saveState()
        try scene.saveState()
        for (path, mode) in [(file.path, 0o600), (file.deletingLastPathComponent().path, 0o700)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        // The former file is replaced, and no other file remains.
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "state").path).count == 1)
    }

    @Test("Returning no state restoration activity deletes the saved one")
    func nothingDeletesTheState() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        delegate.restoration = editing()
        let scene = application.connectScene(delegate, session: session())
        try scene.saveState()
        delegate.restoration = nil
        try scene.saveState()
        try scene.saveState()
        #expect(session().stateRestorationActivity == nil && scene.session.stateRestorationActivity == nil)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("An expired activity is not restored")
    func expiredStateDoesNotComeBack() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        delegate.restoration = editing()
        delegate.restoration?.expirationDate = Date(timeIntervalSinceNow: -1)
        try application.connectScene(delegate, session: session()).saveState()
        #expect(session().stateRestorationActivity == nil)
    }

    @Test(
        "A file that is damaged or contains no state counts as missing",
        arguments: ["", "{", "[]", "{\"version\":1}", "{\"version\":1,\"state\":{}}"])
    func damagedStateCountsAsNone(text: String) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        #expect(session().stateRestorationActivity == nil)
    }

    @Test(
        "States of other versions, files that are too large, and impossible activities count as missing",
        arguments: [
            (type, ""), ("\"version\":1", "\"version\":2"), ("{", "{" + String(repeating: " ", count: 2 << 20)),
        ])
    func unusableStateCountsAsNone(part: String, change: String) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        delegate.restoration = editing()
        try application.connectScene(delegate, session: session()).saveState()
        #expect(session().stateRestorationActivity != nil)
        let text = try String(contentsOf: file, encoding: .utf8)
        let changed = text.replacing(part, with: change)
        #expect(changed != text)
        try Data(changed.utf8).write(to: file)
        #expect(session().stateRestorationActivity == nil)
    }

    @Test("A pipe in place of the file does not block the start", .timeLimit(.minutes(1)))
    func pipeCountsAsNone() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(session().stateRestorationActivity == nil)
    }

    @Test("Saving to a place that cannot be written throws an error")
    func failureIsTold() throws {
        let session = ApplicationSceneSession(stateFile: URL(filePath: "/proc/none/main.json"))
        delegate.restoration = editing()
        let scene = application.connectScene(delegate, session: session)
        #expect(throws: (any Error).self) { try scene.saveState() }
    }

    @Test("A session without a file keeps the activity while the program runs")
    func sessionWithoutFile() throws {
        let session = ApplicationSceneSession(persistentIdentifier: "second")
        delegate.restoration = editing()
        try application.connectScene(delegate, session: session).saveState()
        #expect(session.stateRestorationActivity === delegate.restoration)
    }
}
