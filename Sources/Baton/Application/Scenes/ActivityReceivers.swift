// SPDX-License-Identifier: Apache-2.0

import UserActivity

/// The scenes and views that take over activities in place of the app's delegate.
///
/// Functions that return nil leave the activity to the delegate.
@MainActor
final class ActivityReceivers {
    /// The maximum number of activities that wait for a scene or a view. More are declined.
    static let maximumWaiting = 16

    private struct Action {
        weak var view: ViewActivities?
        let activityType: String
        let action: (UserActivity) -> Void
    }

    var openScene: (@MainActor () -> Void)?
    private(set) var scenes: [ApplicationScene] = []
    private weak var active: ApplicationScene?
    private var actions: [Action] = []
    private var waiting: [UserActivity] = []
    /// The type of the activity that is being fetched.
    private var announced: String?
    /// Whether ``openScene`` was called, and neither a scene nor a view has appeared yet.
    private var isOpening = false

    /// The scene that receives activities.
    var activeScene: ApplicationScene? {
        get { active ?? scenes.last }
        set { active = scenes.first { $0 === newValue } }
    }

    func announce(_ type: String) -> Bool? {
        announced = type
        return asksScene { $0.scene($1, willContinueUserActivityWithType: type) } ? true : nil
    }

    func take(_ activity: UserActivity) -> Bool? {
        announced = nil
        let own = actions.filter { $0.view != nil && $0.activityType == activity.activityType }
        if !own.isEmpty {
            for action in own { action.action(activity) }
            return true
        }
        guard scenes.isEmpty else { return asksScene { $0.scene($1, continue: activity) } ? true : nil }
        guard let openScene else { return nil }
        guard waiting.count < Self.maximumWaiting else { return false }
        waiting.append(activity)
        if !isOpening {
            isOpening = true
            openScene()
        }
        return true
    }

    func fail(_ type: String, _ error: any Error) -> Bool {
        announced = nil
        return asksScene { $0.scene($1, didFailToContinueUserActivityWithType: type, error: error) }
    }

    func update(_ activity: UserActivity) -> Bool { asksScene { $0.scene($1, didUpdate: activity) } }

    func connect(_ scene: ApplicationScene) {
        let activities = waiting
        waiting = []
        isOpening = false
        scenes.append(scene)
        active = scene
        let options = ApplicationScene.ConnectionOptions(
            userActivities: Set(activities), handoffUserActivityType: announced)
        let isTold = scene.asks { $0.scene(scene, willConnectTo: scene.session, options: options) }
        guard !isTold else { return }
        for activity in activities { _ = scene.asks { $0.scene(scene, continue: activity) } }
    }

    func disconnect(_ scene: ApplicationScene) {
        scenes.removeAll { $0 === scene }
        if active === scene { active = nil }
    }

    /// Registers a view for activities of a type, and gives it the activities of that type that
    /// waited.
    func setAction(of view: ViewActivities, for activityType: String, _ action: @escaping (UserActivity) -> Void) {
        actions.removeAll { $0.view == nil || $0.view === view && $0.activityType == activityType }
        actions.append(Action(view: view, activityType: activityType, action: action))
        isOpening = false
        let own = waiting.filter { $0.activityType == activityType }
        waiting.removeAll { $0.activityType == activityType }
        for activity in own { action(activity) }
    }

    func removeActions(of view: ViewActivities) { actions.removeAll { $0.view == nil || $0.view === view } }

    private func asksScene(_ question: (any ApplicationSceneDelegate, ApplicationScene) -> Void) -> Bool {
        guard let scene = activeScene else { return false }
        return scene.asks { question($0, scene) }
    }
}
