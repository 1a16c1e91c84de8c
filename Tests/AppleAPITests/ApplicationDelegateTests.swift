// SPDX-License-Identifier: Apache-2.0

// The members of an app's delegate, as developers for Apple's systems write them from memory.
import Baton
import Foundation
import Testing
import UserActivity

@MainActor private class Log {
    var notes: [String] = []
}

/// A window's controller that can restore an activity.
private final class Controller: NSObject, NSUserActivityRestoring {
    var titles: [String] = []
    func restoreUserActivityState(_ userActivity: NSUserActivity) { titles.append(userActivity.title ?? "") }
}

private final class UIKitDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        // Call the handler later, like an app whose windows do not exist yet.
        DispatchQueue.main.async { restorationHandler(self.windows) }
        return true
    }
}

private final class AppKitDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any NSUserActivityRestoring]) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }
}

private final class IsolatedDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping @MainActor ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }
}

private final class IsolatedAppKitDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping @MainActor ([any NSUserActivityRestoring]) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }
}

private final class ObjectsDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }
}

private final class OldNameDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        _ application: Application, continueUserActivity userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }
}

private final class LabelledDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }
}

private final class Swift3Delegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([Any]?) -> Swift.Void
    ) -> Bool {
        restorationHandler(windows + ["no window"])
        return true
    }
}

private final class ObjectiveCDelegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    var log: [String] = []
    func application(
        _ application: Application, continueUserActivity userActivity: NSUserActivity,
        restorationHandler: @escaping ([AnyObject]?) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }

    func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError
    ) { log.append("failed \(error.code)") }

    func application(_ application: Application, didUpdateUserActivity userActivity: NSUserActivity) {
        userActivity.addUserInfoEntries(from: ["handoffVersion": "2.0"])
    }
}

private final class Swift2Delegate: NSObject, ApplicationDelegate {
    var windows = [Controller()]
    var log: [String] = []
    func application(application: Application, willContinueUserActivityWithType userActivityType: String) -> Bool {
        log.append("will \(userActivityType)")
        return true
    }

    func application(
        application: Application, continueUserActivity userActivity: NSUserActivity,
        restorationHandler: ([AnyObject]?) -> Void
    ) -> Bool {
        restorationHandler(windows)
        return true
    }

    func application(
        application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: NSError
    ) { log.append("failed \(error.code)") }

    func application(application: Application, didUpdateUserActivity userActivity: NSUserActivity) {
        userActivity.addUserInfoEntries(from: ["handoffVersion": "2.0"])
    }
}

/// A delegate with a continuing method in Apple's current form, and one in an older form, which
/// must not be called as well.
private final class BothDelegate: NSObject, ApplicationDelegate {
    var log: [String] = []
    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        log.append("today's")
        return false
    }

    func application(
        _ application: Application, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([Any]?) -> Void
    ) -> Bool {
        log.append("older")
        return true
    }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct ApplicationDelegateTests {
    private static let type = "com.company.viewing-message"

    private struct Offer: ContinuedOffer {
        let activity: UserActivity
        func accept() async {}
        func decline() async {}
    }

    private func application(_ delegate: any ApplicationDelegate, _ notices: Log = Log()) -> Application {
        Application(
            declaration: ApplicationDeclaration(activityTypes: [Self.type]), delegate: delegate,
            coordinator: ResponderCoordinator()
        ) { notice in
            switch notice {
            case .continuing(let type): notices.notes.append("continuing \(type)")
            case .failed(let type, _): notices.notes.append("failed \(type)")
            }
        }
    }

    /// Returns whether the delegate continued an activity.
    private func continues(_ delegate: any ApplicationDelegate) async -> Bool {
        let activity = NSUserActivity(activityType: Self.type)
        activity.title = "Viewing Message"
        return await application(delegate).continueActivity(ofType: Self.type) { Offer(activity: activity) } != nil
    }

    @Test("The continuing method in UIKit's form is called, and may call its handler later")
    func uiKitsForm() async {
        let delegate = UIKitDelegate()
        #expect(await continues(delegate))
        await withCheckedContinuation { waiting in DispatchQueue.main.async { waiting.resume() } }
        #expect(delegate.windows.map(\.titles) == [["Viewing Message"]])
    }

    @Test("The continuing method in AppKit's form is called, and its handler restores the windows")
    func appKitsFormIsCalled() async {
        let delegate = AppKitDelegate()
        #expect(await continues(delegate))
        #expect(delegate.windows.map(\.titles) == [["Viewing Message"]])
    }

    @Test("A continuing method whose handler names the main actor is called")
    func mainActorHandler() async {
        let delegate = IsolatedDelegate()
        #expect(await continues(delegate))
        #expect(delegate.windows.map(\.titles) == [["Viewing Message"]])
    }

    @Test("AppKit's continuing method is called if its handler names the main actor")
    func appKitsMainActorHandler() async {
        let delegate = IsolatedAppKitDelegate()
        #expect(await continues(delegate))
        #expect(delegate.windows.map(\.titles) == [["Viewing Message"]])
    }

    @Test("Continuing methods that mix the spellings of several Swift versions are called")
    func mixedForms() async {
        let (objects, oldName, labelled) = (ObjectsDelegate(), OldNameDelegate(), LabelledDelegate())
        for delegate in [objects, oldName, labelled] as [any ApplicationDelegate] { #expect(await continues(delegate)) }
        for windows in [objects.windows, oldName.windows, labelled.windows] {
            #expect(windows.map(\.titles) == [["Viewing Message"]])
        }
    }

    @Test("The continuing method in Swift 3's form is called, and objects that cannot restore are skipped")
    func swift3sForm() async {
        let delegate = Swift3Delegate()
        #expect(await continues(delegate))
        #expect(delegate.windows.map(\.titles) == [["Viewing Message"]])
    }

    @Test("A continuing method is also found by its Objective-C name")
    func objectiveCsNameIsCalled() async {
        let delegate = ObjectiveCDelegate()
        #expect(await continues(delegate))
        #expect(delegate.windows.map(\.titles) == [["Viewing Message"]])
    }

    @Test("Swift 2's forms are called, beginning with willContinue")
    func swift2sFormIsCalled() async {
        let delegate = Swift2Delegate()
        #expect(await continues(delegate))
        #expect(delegate.windows.map(\.titles) == [["Viewing Message"]])
        #expect(delegate.log == ["will \(Self.type)"])
    }

    @Test("If the delegate has a method in the current form and in an older one, only the current one is called")
    func todaysFormIsCalledAlone() async {
        let delegate = BothDelegate()
        #expect(await !continues(delegate))
        #expect(delegate.log == ["today's"])
    }

    @Test("Failures reach the delegate's method in Objective-C's form and in Swift 2's form")
    func failuresReachEachForm() async {
        let (objectiveC, swift2) = (ObjectiveCDelegate(), Swift2Delegate())
        for delegate in [objectiveC, swift2] as [any ApplicationDelegate] {
            let notices = Log()
            await application(delegate, notices).continueActivity(ofType: Self.type) {
                throw CocoaError(.userActivityConnectionUnavailable)
            }
            #expect(notices.notes.filter { $0.hasPrefix("failed") } == [])
        }
        let code = CocoaError.userActivityConnectionUnavailable.rawValue
        #expect(objectiveC.log == ["failed \(code)"])
        #expect(swift2.log == ["will \(Self.type)", "failed \(code)"])
    }

    @Test("Updates reach the delegate's method in Objective-C's form and in Swift 2's form")
    func updatesReachEachForm() {
        for delegate in [ObjectiveCDelegate(), Swift2Delegate()] as [any ApplicationDelegate] {
            let activity = NSUserActivity(activityType: Self.type)
            delegate.application(application(delegate), didUpdate: activity)
            #expect(activity.userInfo?["handoffVersion"] as? String == "2.0")
        }
    }
}
