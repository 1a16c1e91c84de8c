// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import Foundation
import Testing
import UserActivity

/// The first version of an app, which knows only a draft's text.
@MainActor
private class OldApp: ApplicationDelegate, UserActivityResponder {
    struct Draft: Codable {
        var text: String
    }

    let activityCoordinator = ResponderCoordinator()
    let host: LoopbackApp
    var text = ""
    /// The entries that this version does not know. They stay with the draft.
    var unknown: [AnyHashable: Any] = [:]
    private(set) var application: Application?

    init(_ host: LoopbackApp) {
        self.host = host
        application = Application(
            declaration: ApplicationDeclaration(activityTypes: ["org.example.write"]), delegate: self,
            coordinator: activityCoordinator
        ) { notice in
            if case .failed(_, let error) = notice { Issue.record(error) }
        }
    }

    func write() {
        let activity = UserActivity(activityType: "org.example.write", host: host)
        userActivity = activity
        activityCoordinator.mainChain = [self]
    }

    func stop() { userActivity = nil }

    func updateUserActivityState(_ activity: UserActivity) {
        activity.userInfo = unknown
        activity.addUserInfoEntries(from: ["text": text])
    }

    func restoreUserActivityState(_ activity: UserActivity) {
        text = (try? activity.typedPayload(Draft.self))?.text ?? ""
        unknown = activity.userInfo ?? [:]
    }

    func application(_ application: Application, willContinueUserActivityWithType type: String) -> Bool { true }

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        restorationHandler([self])
        return true
    }

    func application(_ application: Application, didUpdate userActivity: UserActivity) {}
}

/// The second version, which knows the cursor too, and stores its own version in the draft.
@MainActor
private final class NewApp: OldApp {
    var cursor = 0
    var versionSeen = 0

    override func updateUserActivityState(_ activity: UserActivity) {
        super.updateUserActivityState(activity)
        activity.addUserInfoEntries(from: ["cursor": cursor])
    }

    override func restoreUserActivityState(_ activity: UserActivity) {
        super.restoreUserActivityState(activity)
        versionSeen = activity.userInfo?["version"] as? Int ?? 1
        // The first version had no cursor, so the cursor is at the end.
        cursor = activity.userInfo?["cursor"] as? Int ?? text.count
    }

    override func application(_ application: Application, didUpdate userActivity: UserActivity) {
        userActivity.addUserInfoEntries(from: ["version": 2])
    }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct VersioningTests {
    private let loopback = Loopback()

    private func handOver(from origin: OldApp, to receiver: OldApp) async {
        origin.write()
        let offer = await receiver.host.offer(ofType: "org.example.write")
        #expect(await receiver.application?.continueOffer(offer, as: receiver.host) != nil)
        origin.stop()
    }

    @Test("An old version of an app hands over to a new one")
    func oldAppHandsOverToNew() async {
        let old = OldApp(loopback.app("old", delivery: .mainActor))
        let new = NewApp(loopback.app("new", delivery: .mainActor))
        old.text = "Dear Ada"
        await handOver(from: old, to: new)
        #expect(new.text == "Dear Ada")
        #expect(new.cursor == 8)
        #expect(new.versionSeen == 1)
    }

    @Test("A new app hands over to an old one, which passes unknown entries on")
    func newAppHandsOverToOld() async {
        let old = OldApp(loopback.app("old", delivery: .mainActor))
        let new = NewApp(loopback.app("new", delivery: .mainActor))
        new.text = "Dear Ada"
        new.cursor = 4
        await handOver(from: new, to: old)
        #expect(old.text == "Dear Ada")
        #expect(old.unknown["cursor"] as? Int == 4)
        #expect(old.unknown["version"] as? Int == 2)
        // The old app hands the draft back.
        let other = NewApp(loopback.app("other", delivery: .mainActor))
        await handOver(from: old, to: other)
        #expect(other.cursor == 4)
        #expect(other.versionSeen == 2)
    }
}
