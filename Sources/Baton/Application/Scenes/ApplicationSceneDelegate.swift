// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// The calls that a scene receives about activities.
///
/// The methods correspond to the methods of `UISceneDelegate` that concern activities. Every method
/// has a default implementation. While a scene is connected, its delegate is called in place of the
/// ``ApplicationDelegate``. If the scene's delegate does not implement a method, the application's
/// delegate gets the call.
@preconcurrency @MainActor
public protocol ApplicationSceneDelegate: AnyObject {
    /// Called when the scene has been connected.
    ///
    /// If the delegate does not implement this method,
    /// ``ApplicationSceneDelegate/scene(_:continue:)`` gets the activities of `connectionOptions`.
    ///
    /// - Parameters:
    ///   - scene: The scene.
    ///   - session: The data that was saved when the scene last existed.
    ///   - connectionOptions: The activities that arrived before the scene.
    func scene(
        _ scene: ApplicationScene, willConnectTo session: ApplicationSceneSession,
        options connectionOptions: ApplicationScene.ConnectionOptions)

    /// Called when the user has chosen an activity, before it is fetched.
    ///
    /// If no delegate implements this method, Baton informs the user.
    func scene(_ scene: ApplicationScene, willContinueUserActivityWithType userActivityType: String)

    /// Called when the activity has been fetched. The scene takes it over.
    func scene(_ scene: ApplicationScene, continue userActivity: UserActivity)

    /// Called when the activity could not be continued.
    ///
    /// The error's code is `userCancelled` when the user cancelled. If no delegate implements this
    /// method, Baton informs the user.
    func scene(
        _ scene: ApplicationScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)

    /// Called after an activity of the app's responders was updated, and before it is handed over.
    ///
    /// The delegate may add entries.
    func scene(_ scene: ApplicationScene, didUpdate userActivity: UserActivity)

    /// Returns the activity that restores the scene as it is now.
    ///
    /// ``ApplicationScene/saveState()`` calls it.
    ///
    /// - Returns: The activity with its userInfo, or nil to delete the state that was saved before.
    ///   The activity is saved as it is, without asking its delegate or a responder for changes.
    func stateRestorationActivity(for scene: ApplicationScene) -> UserActivity?
}

extension ApplicationSceneDelegate {
    /// Leaves the activities to ``ApplicationSceneDelegate/scene(_:continue:)``.
    public func scene(
        _ scene: ApplicationScene, willConnectTo session: ApplicationSceneSession,
        options connectionOptions: ApplicationScene.ConnectionOptions
    ) { scene.leave() }

    /// Leaves the call to the application's delegate.
    public func scene(_ scene: ApplicationScene, willContinueUserActivityWithType userActivityType: String) {
        scene.leave()
    }

    /// Leaves the activity to the application's delegate.
    public func scene(_ scene: ApplicationScene, continue userActivity: UserActivity) { scene.leave() }

    /// Leaves the failure to the application's delegate.
    public func scene(
        _ scene: ApplicationScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) { scene.leave() }

    /// Leaves the update to the application's delegate.
    public func scene(_ scene: ApplicationScene, didUpdate userActivity: UserActivity) { scene.leave() }

    /// Returns nil: nothing is saved.
    public func stateRestorationActivity(for scene: ApplicationScene) -> UserActivity? { nil }
}
