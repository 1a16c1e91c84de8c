// SPDX-License-Identifier: Apache-2.0

// Members of delegates and responders with the spellings of Swift 2 and Objective-C.
import Foundation
import Testing
import UserActivity

private final class Swift2Author: NSObject, NSUserActivityDelegate {
    var log: [String] = []
    func userActivityWillSave(userActivity: NSUserActivity) { log.append("save") }
    func userActivityWasContinued(userActivity: NSUserActivity) { log.append("continued") }
    func userActivity(
        userActivity: NSUserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream
    ) { log.append("streams") }
}

private final class ObjectiveCAuthor: NSObject, NSUserActivityDelegate {
    var log: [String] = []
    func userActivity(
        _ userActivity: NSUserActivity, didReceiveInputStream inputStream: InputStream, outputStream: OutputStream
    ) { log.append("streams") }
}

@MainActor private final class UIKitController: UserActivityResponder {
    var restored = 0
    let activityCoordinator = ResponderCoordinator()
    func updateUserActivityState(activity: NSUserActivity) { activity.addUserInfoEntries(from: ["line": 4]) }
    func restoreUserActivityState(activity: NSUserActivity) { restored += 1 }
}

@MainActor private final class AppKitController: UserActivityResponder {
    var restored = 0
    let activityCoordinator = ResponderCoordinator()
    func updateUserActivityState(userActivity: NSUserActivity) { userActivity.addUserInfoEntries(from: ["line": 4]) }
    func restoreUserActivityState(userActivity: NSUserActivity) { restored += 1 }
}

@Suite(.timeLimit(.minutes(5))) struct OlderFormsTests {
    private func hand(_ activity: NSUserActivity) async {
        let streams = ContinuationStreams(identifier: "1", descriptor: -1, device: "", deviceName: "", transport: "tcp")
        _ = await activity.receive(streams) { _ in
            ContinuationPair(input: InputStream(data: Data()), output: OutputStream(toMemory: ()))
        }
    }

    @Test("The members of Swift 2's activity delegate are called: saving, continuing and streams")
    func swift2sDelegateIsCalled() async {
        let activity = NSUserActivity(activityType: "com.company.viewing-message")
        let author = Swift2Author()
        activity.delegate = author
        activity.needsSave = true
        _ = activity.savedState()
        await activity.wasContinued()
        await hand(activity)
        #expect(author.log == ["save", "continued", "streams"])
    }

    @Test("A delegate receives the streams under their Objective-C name")
    func objectiveCsStreams() async {
        let activity = NSUserActivity(activityType: "com.company.viewing-message")
        let author = ObjectiveCAuthor()
        activity.delegate = author
        await hand(activity)
        #expect(author.log == ["streams"])
    }

    @MainActor @Test("Swift 2's responders save and restore, in UIKit's form and in AppKit's")
    func swift2sResponders()
        async
    {
        let (uiKit, appKit) = (UIKitController(), AppKitController())
        for controller in [uiKit, appKit] as [any UserActivityResponder] {
            let activity = NSUserActivity(activityType: "com.company.viewing-message")
            controller.userActivity = activity
            #expect(await activity.saved().userInfo == ["line": .int(4)])
            controller.restoreUserActivityState(activity)
            controller.userActivity = nil
        }
        #expect(uiKit.restored == 1 && appKit.restored == 1)
    }
}
