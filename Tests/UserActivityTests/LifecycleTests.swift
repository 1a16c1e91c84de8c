// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import UserActivity

@Suite struct LifecycleTests {
    @Test("Only the activity of an app that became current last is current")
    func lastToBecomeCurrent() {
        let (desk, sofa) = (Recorder(), Recorder())
        let first = UserActivity(activityType: "org.example.a", host: desk)
        let second = UserActivity(activityType: "org.example.b", host: desk)
        let other = UserActivity(activityType: "org.example.a", host: sofa)
        first.becomeCurrent()
        other.becomeCurrent()
        second.becomeCurrent()
        #expect(!first.isCurrent)
        #expect(second.isCurrent)
        #expect(other.isCurrent)
        // An activity that is not current cannot resign, and the host ignores its changes.
        first.resignCurrent()
        first.title = "later"
        #expect(desk.calls == ["became", "became"])
        first.becomeCurrent()
        #expect(first.needsSave)
        #expect(!second.isCurrent)
    }

    @Test("An activity that is not eligible for Handoff is never offered")
    func notEligibleForHandoff() {
        let host = Recorder()
        let activity = UserActivity(activityType: "org.example.a", host: host)
        activity.isEligibleForHandoff = false
        activity.becomeCurrent()
        activity.title = "t"
        #expect(host.calls.isEmpty)
        #expect(activity.isCurrent)
        activity.isEligibleForHandoff = true
        #expect(host.calls == ["became"])
        activity.isEligibleForHandoff = false
        #expect(host.calls == ["became", "resigned"])
    }

    @Test("Releasing an activity ends it, with a warning")
    func releasedActivity() {
        let host = Recorder()
        do {
            let activity = UserActivity(activityType: "org.example.released", host: host)
            activity.becomeCurrent()
        }
        #expect(
            host.calls == [
                "became", "warning: an activity of type org.example.released was released without invalidate()",
                "released",
            ])
        do {
            let activity = UserActivity(activityType: "org.example.released", host: host)
            activity.becomeCurrent()
            activity.invalidate()
        }
        #expect(host.calls.suffix(2) == ["became", "invalidated"])
        _ = UserActivity(activityType: "org.example.never", host: host)
        #expect(host.calls.count == 5)
    }

    @Test("A type that is not reverse-DNS works, with one warning")
    func notReverseDNS() {
        let host = Recorder()
        let first = UserActivity(activityType: "warned about once", host: host)
        _ = UserActivity(activityType: "warned about once", host: host)
        #expect(host.calls.count == 1)
        #expect(host.calls.first?.contains("is not reverse-DNS") == true)
        // Apple's own type belongs to every browser.
        _ = UserActivity(activityType: NSUserActivityTypeBrowsingWeb, host: host)
        #expect(host.calls.count == 1)
        first.becomeCurrent()
        #expect(host.calls.last == "became")
        // There is no warning about a type that another device chose.
        _ = UserActivity(state: ActivityState(activityType: "came from elsewhere"), host: host, origin: NoOrigin())
        #expect(host.calls.count == 2)
    }

    @Test("A type has 1 to 255 bytes")
    func typeHasToTheLimitOf255Bytes() async {
        let longest = String(repeating: "é", count: 127) + "e"
        #expect(UserActivity(activityType: longest, host: nil).activityType == longest)
        await #expect(processExitsWith: .failure) {
            _ = UserActivity(activityType: String(repeating: "é", count: 128), host: nil)
        }
        await #expect(processExitsWith: .failure) { _ = UserActivity(activityType: "", host: nil) }
    }

    @Test("Programming errors name the property and the key")
    func programmingErrors() async {
        let page = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            UserActivity(activityType: "t", host: nil).webpageURL = URL(string: "ftp://example.org")
        }
        let message = String(decoding: page?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("webpageURL has the scheme"))
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            UserActivity(activityType: "t", host: nil).addUserInfoEntries(from: ["window": Bundle.main])
        }
        let text = String(decoding: value?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("userInfo[\"window\"] is of type"))
    }

    @Test("Validated setters throw for an invalid value and change nothing")
    func validatedSetters() throws {
        let activity = UserActivity(activityType: "org.example.a", host: nil)
        activity.title = "before"
        try activity.setWebpageURL(validated: URL(string: "https://example.org/1"))
        #expect(throws: UserActivityError.self) { try activity.setWebpageURL(validated: URL(string: "file:///etc")) }
        #expect(activity.webpageURL == URL(string: "https://example.org/1"))
        try activity.setUserInfo(validated: ["a": 1])
        let error = #expect(throws: UserActivityError.self) {
            try activity.addUserInfoEntries(validated: ["b": [Bundle.main]])
        }
        #expect(error?.path == "[\"b\"][0]")
        #expect(activity.currentState.userInfo == ["a": .int(1)])
    }

    @Test("The deprecated initialiser takes the first declared type")
    func deprecatedInitialiser() async {
        await #expect(processExitsWith: .success) {
            UserActivity.declaredActivityTypes = ["org.example.first", "org.example.second"]
            precondition(made(Deprecated.self).activityType == "org.example.first")
        }
        await #expect(processExitsWith: .failure) { _ = made(Deprecated.self) }
    }

    @Test("An activity without a host of its own uses the default host")
    func noHostOfItsOwn() async {
        await #expect(processExitsWith: .success) {
            let host = Recorder()
            UserActivity.defaultHost = host
            let activity = UserActivity(activityType: "org.example.a")
            activity.becomeCurrent()
            precondition(host.calls == ["became"])
            activity.invalidate()
        }
    }

    @Test("An activity that was created before its host is offered when it becomes current")
    func madeBeforeItsHost() async {
        await #expect(processExitsWith: .success) {
            let activity = UserActivity(activityType: "org.example.a")
            let host = Recorder()
            UserActivity.defaultHost = host
            activity.becomeCurrent()
            precondition(host.calls == ["became"])
            activity.title = "changed"
            activity.invalidate()
            precondition(host.calls == ["became", "changed", "invalidated"])
        }
    }

    @Test("An activity that was current without a host is offered when it becomes current again")
    func currentBeforeItsHost() async {
        await #expect(processExitsWith: .success) {
            let activity = UserActivity(activityType: "org.example.a")
            activity.becomeCurrent()
            let host = Recorder()
            UserActivity.defaultHost = host
            activity.becomeCurrent()
            precondition(activity.isCurrent)
            precondition(host.calls == ["became", "became"])
            activity.resignCurrent()
            precondition(!activity.isCurrent)
        }
    }

    @Test("An activity that is current without a host is offered when the host is set")
    func offeredWhenThereIsAHost() async {
        await #expect(processExitsWith: .success) {
            let (before, activity) = (
                UserActivity(activityType: "org.example.before"), UserActivity(activityType: "org.example.a")
            )
            before.becomeCurrent()
            activity.becomeCurrent()
            let host = Recorder()
            UserActivity.defaultHost = host
            precondition(activity.isCurrent && !before.isCurrent)
            precondition(activity.needsSave)
            precondition(host.calls == ["became"])
            activity.title = "changed"
            precondition(host.calls == ["became", "changed"])
            // Setting another default host has no effect, because the activity now has a host.
            let other = Recorder()
            UserActivity.defaultHost = other
            precondition(other.calls.isEmpty)
            activity.invalidate()
            before.invalidate()
        }
    }

    @Test("An activity that is no longer current is not offered when the host is set")
    func resignedBeforeItsHost() async {
        await #expect(processExitsWith: .success) {
            let activity = UserActivity(activityType: "org.example.a")
            activity.becomeCurrent()
            activity.resignCurrent()
            let host = Recorder()
            UserActivity.defaultHost = host
            precondition(host.calls.isEmpty)
        }
    }

    @Test("A new activity needs a save, and one from another device does not")
    func newActivityNeedsSave() {
        #expect(UserActivity(activityType: "org.example.a", host: nil).needsSave)
        let state = ActivityState(activityType: "org.example.a")
        #expect(!UserActivity(state: state, host: nil, origin: NoOrigin()).needsSave)
    }

    @Test("Becoming current again does not ask the app to save")
    func becomingCurrentAgain() {
        final class Counting: UserActivityDelegate {
            let asked = Atomic(0)
            func userActivityWillSave(_ userActivity: UserActivity) { asked.add(1, ordering: .relaxed) }
        }
        let (delegate, host) = (Counting(), Recorder())
        let activity = UserActivity(activityType: "org.example.a", host: host)
        activity.delegate = delegate
        activity.becomeCurrent()
        _ = activity.savedState()
        activity.becomeCurrent()
        #expect(!activity.needsSave)
        _ = activity.savedState()
        #expect(delegate.asked.load(ordering: .relaxed) == 1)
        // The host learns each time that the activity became current, because another app's
        // activity may have been current meanwhile.
        #expect(host.calls == ["became", "became"])
        // After the activity has resigned, becoming current makes it need a save again.
        activity.resignCurrent()
        activity.becomeCurrent()
        #expect(activity.needsSave)
        activity.invalidate()
    }

    @Test("Activities without a host cause only one warning")
    func missingHostIsWarnedAboutOnce() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                for number in 0..<3 {
                    let activity = UserActivity(activityType: "org.example.a\(number)")
                    activity.becomeCurrent()
                    activity.becomeCurrent()
                }
            })
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("Baton: ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("org.example.a0") == true)
        #expect(lines.first?.contains("UserActivity.defaultHost = try await BatonConnection.open()") == true)
    }

    @Test("An activity that is not eligible for hand-over needs no host")
    func wantsNoHost() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let activity = UserActivity(activityType: "org.example.a")
                activity.isEligibleForHandoff = false
                activity.becomeCurrent()
            })
        #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("defaultHost"))
    }

    @Test("All properties that are handed over are read after userActivityWillSave")
    func readAfterWillSave() {
        final class Writer: UserActivityDelegate {
            func userActivityWillSave(_ activity: UserActivity) {
                activity.title = "fresh"
                activity.userInfo = ["k": 1]
                activity.webpageURL = URL(string: "https://example.org/")
                activity.referrerURL = URL(string: "https://example.org/from")
                activity.expirationDate = Date(timeIntervalSinceReferenceDate: 1)
                activity.requiredUserInfoKeys = ["k"]
                activity.targetContentIdentifier = "target"
                activity.persistentIdentifier = "persistent"
                activity.supportsContinuationStreams = true
            }
        }
        let activity = UserActivity(activityType: "org.example.a", host: nil)
        let writer = Writer()
        activity.delegate = writer
        activity.becomeCurrent()
        var expected = ActivityState(
            activityType: "org.example.a", title: "fresh", userInfo: ["k": .int(1)],
            webpageURL: URL(string: "https://example.org/"))
        expected.referrerURL = URL(string: "https://example.org/from")
        expected.expirationDate = Date(timeIntervalSinceReferenceDate: 1)
        expected.requiredUserInfoKeys = ["k"]
        expected.targetContentIdentifier = "target"
        expected.persistentIdentifier = "persistent"
        expected.supportsContinuationStreams = true
        #expect(activity.savedState() == expected)
    }
}

private final class NoOrigin: ContinuationOrigin {
    func openStreams() async throws -> ContinuationPair { throw CocoaError(.userActivityConnectionUnavailable) }
}

/// Calls a deprecated member without a warning.
private protocol Making { static func make() -> UserActivity }
private enum Deprecated: Making {
    @available(*, deprecated) static func make() -> UserActivity { UserActivity() }
}
private func made<Maker: Making>(_ maker: Maker.Type) -> UserActivity { maker.make() }
