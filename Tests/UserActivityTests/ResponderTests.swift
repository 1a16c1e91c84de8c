// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@MainActor
private final class Screen: UserActivityResponder {
    let activityCoordinator: ResponderCoordinator
    var nextResponder: (any UserActivityResponder)?
    var isVisible = true
    var children: [Screen] = []
    var entry: (String, Int)
    var seenKeys: [Set<String>] = []
    var restored: [String] = []

    init(_ coordinator: ResponderCoordinator, _ key: String = "key", _ value: Int = 0) {
        activityCoordinator = coordinator
        entry = (key, value)
    }

    func updateUserActivityState(_ activity: UserActivity) {
        seenKeys.append(Set((activity.userInfo ?? [:]).keys.compactMap { $0.base as? String }))
        activity.addUserInfoEntries(from: [entry.0: entry.1])
    }

    func restoreUserActivityState(_ activity: UserActivity) {
        restored.append(activity.activityType)
        for child in children { child.restoreUserActivityState(activity) }
    }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct ResponderTests {
    private let coordinator = ResponderCoordinator()
    private let host = Recorder(delivery: .mainActor)

    private func activity(_ name: String) -> UserActivity {
        UserActivity(activityType: "org.example.\(name)", host: host)
    }

    @Test("Each update empties userInfo and asks all responders that share the activity")
    func allThatShareAreAsked() async {
        let (first, second) = (Screen(coordinator, "scroll", 1), Screen(coordinator, "selection", 2))
        let shared = activity("shared")
        shared.userInfo = ["stale": true]
        first.userActivity = shared
        second.userActivity = shared
        #expect(shared.needsSave)
        #expect(await shared.saved().userInfo == ["scroll": .int(1), "selection": .int(2)])
        #expect(first.seenKeys == [[]])
        #expect(second.seenKeys == [["scroll"]])
        // The save happens lazily, once for many changes.
        _ = await shared.saved()
        #expect(first.seenKeys.count == 1)
        first.entry.1 = 5
        shared.needsSave = true
        shared.needsSave = true
        #expect(await shared.saved().userInfo["scroll"] == .int(5))
        #expect(first.seenKeys.count == 2)
    }

    /// A responder with the default update, which adds nothing.
    private final class Silent: UserActivityResponder {
        let activityCoordinator: ResponderCoordinator
        init(_ coordinator: ResponderCoordinator) { activityCoordinator = coordinator }
    }

    @Test("A userInfo that was set directly stays if no responder and no delegate adds anything")
    func directUserInfoStays() async {
        let (player, other) = (Silent(coordinator), Silent(coordinator))
        player.userActivity = activity("playing")
        other.userActivity = player.userActivity
        player.userActivity?.userInfo = ["media": 42]
        player.userActivity?.addUserInfoEntries(from: ["position": 1.5])
        let expected: UserInfo = ["media": .int(42), "position": .double(1.5)]
        #expect(await player.userActivity?.saved().userInfo == expected)
        #expect(player.userActivity?.currentState.userInfo == expected)
        // The second update has new contents.
        player.userActivity?.needsSave = true
        player.userActivity?.userInfo?["media"] = 43
        #expect(await player.userActivity?.saved().userInfo["media"] == .int(43))
        (player.userActivity, other.userActivity) = (nil, nil)
    }

    @Test("If responders stop adding entries, their entries disappear and the directly set ones return")
    func addedBeforeIsGone() async {
        @MainActor final class Draft: UserActivityResponder {
            let activityCoordinator: ResponderCoordinator
            var text: String? = "Dear"
            init(_ coordinator: ResponderCoordinator) { activityCoordinator = coordinator }
            func updateUserActivityState(_ activity: UserActivity) {
                if let text { activity.addUserInfoEntries(from: ["draft": text]) }
            }
        }
        let (screen, shared) = (Draft(coordinator), activity("drafts"))
        shared.userInfo = ["folder": 7]
        screen.userActivity = shared
        #expect(await shared.saved().userInfo == ["draft": "Dear"])
        screen.text = nil
        shared.needsSave = true
        #expect(await shared.saved().userInfo == ["folder": .int(7)])
        screen.userActivity = nil
    }

    @Test("Entries from the delegate replace the ones that were set directly")
    func delegateFillsUserInfo() async {
        let (screen, last, shared) = (Silent(coordinator), Last(), activity("delegate"))
        shared.userInfo = ["media": 42]
        shared.delegate = last
        screen.userActivity = shared
        #expect(await shared.saved().userInfo == ["key": .int(7)])
        screen.userActivity = nil
    }

    @Test("An entry from the app delegate's didUpdate does not displace the directly set ones")
    func stampOfTheAppDelegate() async {
        let (screen, shared) = (Silent(coordinator), activity("stamp"))
        shared.userInfo = ["media": 42]
        coordinator.didUpdate = { $0.addUserInfoEntries(from: ["version": 2]) }
        screen.userActivity = shared
        #expect(await shared.saved().userInfo == ["media": .int(42), "version": .int(2)])
        screen.userActivity = nil
    }

    /// A class that hides the responder's activity in a way that the compiler allows.
    private final class Hiding: UserActivityResponder {
        let activityCoordinator: ResponderCoordinator
        nonisolated(unsafe) var userActivity: UserActivity?
        init(_ coordinator: ResponderCoordinator) { activityCoordinator = coordinator }
    }

    @Test("The coordinator warns once for each class that declares its own userActivity")
    func ownUserActivityIsToldOf() {
        let responders = [Hiding(coordinator), Hiding(coordinator)]
        for responder in responders { responder.userActivity = activity("hidden") }
        coordinator.mainChain = responders
        coordinator.reevaluate()
        #expect(host.calls.count == 1)
        #expect(host.calls.first?.contains("Hiding declares userActivity itself") == true)
        // Other classes cause no warning.
        let screen = Screen(coordinator)
        screen.userActivity = activity("shown")
        coordinator.mainChain = [screen]
        #expect(host.calls.filter { $0.hasPrefix("warning") }.count == 1)
        screen.userActivity = nil
    }

    /// Changes the responders' entries, and answers when the test permits it.
    private final class Last: UserActivityDelegate, Sendable {
        func userActivityWillSave(_ userActivity: UserActivity) { userActivity.addUserInfoEntries(from: ["key": 7]) }
    }

    @Test("Responders come first, and changes before the delegate's turn are part of the next save")
    func respondersComeFirst() async throws {
        let (held, hold) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        let host = Recorder(delivery: CallbackDelivery { hold.yield($0) })
        let (screen, last) = (Screen(coordinator), Last())
        let activity = UserActivity(activityType: "org.example.both", host: host)
        screen.userActivity = activity
        activity.delegate = last
        let saving = Task { await activity.saved() }
        // The responders have been asked, and the delegate waits for its turn.
        var work = held.makeAsyncIterator()
        let asking = try #require(await work.next())
        #expect(screen.seenKeys.count == 1)
        activity.needsSave = true
        asking()
        #expect(await saving.value.userInfo["key"] == .int(7))
        #expect(activity.needsSave)
        screen.userActivity = nil
    }

    @Test("The chain's activity becomes current again when one outside of the responders has ended")
    func besideTheResponders() {
        let screen = Screen(coordinator)
        let (own, beside) = (activity("own"), activity("beside"))
        screen.userActivity = own
        coordinator.mainChain = [screen]
        beside.becomeCurrent()
        coordinator.reevaluate()
        #expect(beside.isCurrent)
        beside.invalidate()
        coordinator.reevaluate()
        #expect(own.isCurrent)
        screen.userActivity = nil
    }

    @Test("A responder's overridden method may assign userInfo")
    func overrideMayAssignUserInfo() async {
        @MainActor final class Assigning: UserActivityResponder {
            let activityCoordinator = ResponderCoordinator()
            func updateUserActivityState(_ activity: UserActivity) { activity.userInfo = ["all": 1] }
        }
        let responder = Assigning()
        let one = activity("assigned")
        responder.userActivity = one
        #expect(await one.saved().userInfo == ["all": .int(1)])
        responder.userActivity = nil
    }

    @Test("The main window's chain comes first, then its document")
    func mainWindowsChain() {
        let (view, window, document) = (Screen(coordinator), Screen(coordinator), Screen(coordinator))
        view.nextResponder = window
        let (ofWindow, ofDocument) = (activity("window"), activity("document"))
        document.userActivity = ofDocument
        // A document's activity is not current without a window that leads to it.
        #expect(!ofDocument.isCurrent)
        coordinator.mainChain = [view, document]
        #expect(ofDocument.isCurrent)
        window.userActivity = ofWindow
        #expect(ofWindow.isCurrent)
        let ofView = activity("view")
        view.userActivity = ofView
        #expect(ofView.isCurrent)
        coordinator.mainChain = [document]
        #expect(ofDocument.isCurrent)
        coordinator.isForeground = false
        #expect(!ofDocument.isCurrent)
        coordinator.isForeground = true
        #expect(ofDocument.isCurrent)
    }

    @Test("A responder that is not visible is skipped")
    func invisibleResponder() {
        let (presented, window) = (Screen(coordinator), Screen(coordinator))
        presented.nextResponder = window
        let (ofPresented, ofWindow) = (activity("presented"), activity("window"))
        presented.userActivity = ofPresented
        window.userActivity = ofWindow
        coordinator.mainChain = [presented]
        #expect(ofPresented.isCurrent)
        presented.isVisible = false
        coordinator.reevaluate()
        #expect(ofWindow.isCurrent)
    }

    @Test("A change during a transition waits for its end")
    func changeInATransition() {
        let (old, new) = (Screen(coordinator), Screen(coordinator))
        let (before, after) = (activity("before"), activity("after"))
        old.userActivity = before
        coordinator.mainChain = [old]
        coordinator.beginTransition()
        coordinator.beginTransition()
        new.userActivity = after
        coordinator.mainChain = [new]
        old.userActivity = nil
        coordinator.endTransition()
        #expect(before.isCurrent)
        #expect(!before.isInvalidated)
        coordinator.endTransition()
        #expect(after.isCurrent)
        #expect(before.isInvalidated)
    }

    @Test("An activity that no responder holds any more is invalidated")
    func heldByNobody() {
        var responder: Screen? = Screen(coordinator)
        let (shared, other) = (activity("shared"), Screen(coordinator))
        responder?.userActivity = shared
        other.userActivity = shared
        other.userActivity = nil
        #expect(!shared.isInvalidated)
        #expect(other.userActivity == nil)
        responder = nil
        coordinator.reevaluate()
        #expect(shared.isInvalidated)
        #expect(host.calls.last == "invalidated")
    }

    @Test("If a responder gets another activity, its former one ends")
    func switchingTheType() {
        let screen = Screen(coordinator)
        coordinator.mainChain = [screen]
        let (viewing, editing) = (activity("view"), activity("edit"))
        screen.userActivity = viewing
        screen.userActivity = editing
        #expect(viewing.isInvalidated)
        #expect(editing.isCurrent)
        #expect(screen.userActivity === editing)
        screen.userActivity = nil
        #expect(editing.isInvalidated)
    }

    @Test("A restored activity may be assigned and replaced")
    func restoredActivity() {
        let screen = Screen(coordinator)
        let arrived = activity("edit")
        coordinator.mainChain = [screen]
        screen.restoreUserActivityState(arrived)
        screen.userActivity = arrived
        #expect(arrived.isCurrent)
        // A screen creates a fresh activity of the same type when it appears.
        let fresh = activity("edit")
        screen.userActivity = fresh
        #expect(fresh.isCurrent)
        #expect(arrived.isInvalidated)
        #expect(screen.userActivity === fresh)
    }

    @Test("Restoring passes the activity on to children")
    func passedOnToChildren() {
        let (parent, child) = (Screen(coordinator), Screen(coordinator))
        parent.children = [child]
        let restored = activity("restored")
        parent.restoreUserActivityState(restored)
        #expect(child.restored == ["org.example.restored"])
        // The restored activity may be the responder's for a while, until a new one of the same
        // type replaces it.
        child.userActivity = restored
        let fresh = activity("restored")
        child.userActivity = fresh
        #expect(restored.isInvalidated)
        #expect(child.userActivity === fresh)
    }

    @Test("A circular chain of responders does not run endlessly")
    func chainThatRunsInCirclesEnds() {
        let (one, other) = (Screen(coordinator), Screen(coordinator))
        one.nextResponder = other
        other.nextResponder = one
        coordinator.mainChain = [one]
        #expect(coordinator.mainChain.count == 1)
        one.nextResponder = nil
    }

    @Test("Responders are asked on the main actor with every delivery")
    func askedOnTheMainActor() async {
        let elsewhere = Recorder(delivery: .immediate)
        let screen = Screen(coordinator, "k", 3)
        let one = UserActivity(activityType: "org.example.elsewhere", host: elsewhere)
        screen.userActivity = one
        let state = await Task.detached { await one.saved() }.value
        #expect(state.userInfo == ["k": .int(3)])
        screen.userActivity = nil
    }
}
