// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import Testing
import UserActivity

private final class Saver: UserActivityDelegate, Sendable {
    private let count = Atomic(0)
    var saves: Int { count.load(ordering: .relaxed) }

    func userActivityWillSave(_ userActivity: UserActivity) {
        count.add(1, ordering: .relaxed)
        userActivity.addUserInfoEntries(from: ["saves": saves])
        userActivity.title = "saved"
    }
}

/// A delegate that lets another thread make changes while it is being asked.
private final class Interrupted: UserActivityDelegate, Sendable {
    private let interrupted = Mutex(true)
    var isInterrupted: Bool {
        get { interrupted.withLock { $0 } }
        set { interrupted.withLock { $0 = newValue } }
    }

    func userActivityWillSave(_ userActivity: UserActivity) {
        userActivity.title = "saved"
        userActivity.needsSave = true
        guard isInterrupted else { return }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            userActivity.needsSave = true
            done.signal()
        }
        done.wait()
    }
}

@Suite struct UserActivityClassTests {
    @Test("Becoming current makes an activity need a save, and one save is enough")
    func savingOnceMakesItClean() {
        let activity = UserActivity(activityType: "org.example.edit")
        let saver = Saver()
        activity.delegate = saver
        activity.needsSave = false
        activity.becomeCurrent()
        #expect(activity.needsSave)
        let state = activity.savedState()
        #expect(state.userInfo == ["saves": .int(1)])
        #expect(state.title == "saved")
        #expect(!activity.needsSave)
        _ = activity.savedState()
        #expect(saver.saves == 1)
        activity.needsSave = true
        #expect(activity.savedState().userInfo == ["saves": .int(2)])
    }

    @Test("Changes from another thread while the app is asked are part of the next save")
    func announcedMeanwhile() {
        let host = Recorder()
        let activity = UserActivity(activityType: "org.example.t", host: host)
        let saver = Interrupted()
        activity.delegate = saver
        activity.becomeCurrent()
        #expect(activity.savedState().title == "saved")
        // The delegate's own changes are part of this save.
        #expect(activity.needsSave)
        #expect(host.calls == ["became", "changed"])
        saver.isInterrupted = false
        _ = activity.savedState()
        #expect(!activity.needsSave)
        #expect(host.calls == ["became", "changed"])
    }

    @Test("Saving does not count as a change")
    func savingIsNoChangeOfItsOwn() {
        let host = Recorder()
        let activity = UserActivity(activityType: "org.example.t", host: host)
        let saver = Saver()
        activity.delegate = saver
        activity.becomeCurrent()
        _ = activity.savedState()
        #expect(host.calls == ["became"])
    }

    @Test("A save contains values that were set directly")
    func valuesSetDirectly() {
        let activity = UserActivity(activityType: "org.example.t")
        activity.userInfo = ["a": 1, "b": 2]
        activity.addUserInfoEntries(from: ["b": 3])
        #expect(activity.savedState().userInfo == ["a": .int(1), "b": .int(3)])
        activity.userInfo = nil
        #expect(activity.userInfo?.isEmpty == true)
    }

    @Test("The host hears of changes only while the activity is current")
    func toldOnlyWhileCurrent() {
        let host = Recorder()
        let activity = UserActivity(activityType: "org.example.t", host: host)
        activity.title = "before"
        activity.needsSave = true
        #expect(host.calls.isEmpty)
        activity.needsSave = false
        activity.becomeCurrent()
        _ = activity.savedState()
        activity.title = "now"
        activity.title = "now"
        activity.needsSave = true
        activity.needsSave = true
        activity.resignCurrent()
        activity.resignCurrent()
        activity.title = "after"
        #expect(host.calls == ["became", "changed", "changed", "resigned"])
    }

    @Test("An invalid activity never becomes current again")
    func invalidActivity() {
        let host = Recorder()
        let activity = UserActivity(activityType: "org.example.t", host: host)
        activity.becomeCurrent()
        activity.invalidate()
        activity.invalidate()
        activity.becomeCurrent()
        activity.needsSave = true
        #expect(host.calls == ["became", "invalidated"])
        #expect(!activity.isCurrent)
        #expect(!activity.needsSave)
    }

    @Test("An activity does not keep its delegate alive")
    func delegateIsNotKeptAlive() async {
        let activity = UserActivity(activityType: "org.example.t")
        do {
            let saver = Saver()
            activity.delegate = saver
            #expect(activity.delegate != nil)
        }
        #expect(activity.delegate == nil)
        let streams = ContinuationStreams(
            identifier: "1", descriptor: -1, device: "", deviceName: "", transport: "tcp")
        let isTaken = await activity.receive(streams) { _ in
            ContinuationPair(input: InputStream(data: Data()), output: OutputStream(toMemory: ()))
        }
        #expect(!isTaken)
    }

    @Test("A web page with another scheme is a programming error")
    func anotherScheme() async {
        await #expect(processExitsWith: .failure) {
            UserActivity(activityType: "org.example.t").webpageURL = URL(fileURLWithPath: "/etc/passwd")
        }
    }

    @Test("Unsupported userInfo is a programming error")
    func unsupportedUserInfo() async {
        await #expect(processExitsWith: .failure) {
            UserActivity(activityType: "org.example.t").userInfo = ["a": Bundle.main]
        }
    }
}
