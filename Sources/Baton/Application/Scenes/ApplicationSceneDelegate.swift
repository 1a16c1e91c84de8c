// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// What a scene is told about activities: the part of `UISceneDelegate` that is about them.
///
/// Every member has a default. While a scene is connected it is asked in place of the
/// ``ApplicationDelegate``. That one is asked about what the scene's delegate has no member for.
@preconcurrency @MainActor
public protocol ApplicationSceneDelegate: AnyObject {
    /// The scene is there. Without this member
    /// ``ApplicationSceneDelegate/scene(_:continue:)`` gets the activities of `connectionOptions`.
    ///
    /// - Parameters:
    ///   - scene: The scene.
    ///   - session: What was saved when it was last there.
    ///   - connectionOptions: The activities that came before it.
    func scene(
        _ scene: ApplicationScene, willConnectTo session: ApplicationSceneSession,
        options connectionOptions: ApplicationScene.ConnectionOptions)

    /// The user chose an activity of a type, which is being fetched. Without this member Baton
    /// tells the user.
    func scene(_ scene: ApplicationScene, willContinueUserActivityWithType userActivityType: String)

    /// The activity is there, and the scene takes it over.
    func scene(_ scene: ApplicationScene, continue userActivity: UserActivity)

    /// The activity could not be continued; the error's code is `userCancelled` when the user did
    /// not want it any more. Without this member Baton tells the user.
    func scene(
        _ scene: ApplicationScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)

    /// An activity that the app's responders share was updated, and is about to be handed over;
    /// more may be put into it.
    func scene(_ scene: ApplicationScene, didUpdate userActivity: UserActivity)

    /// The activity by which the scene comes back as it is now: asked by
    /// ``ApplicationScene/saveState()``.
    ///
    /// - Returns: The activity, with its userInfo. It is saved as it is: neither its delegate nor a
    ///   responder is asked. Nil saves nothing, and deletes what was saved.
    func stateRestorationActivity(for scene: ApplicationScene) -> UserActivity?
}

extension ApplicationSceneDelegate {
    /// Leaves the activities to ``ApplicationSceneDelegate/scene(_:continue:)``.
    public func scene(
        _ scene: ApplicationScene, willConnectTo session: ApplicationSceneSession,
        options connectionOptions: ApplicationScene.ConnectionOptions
    ) { scene.leave() }

    /// Leaves it to the app's delegate.
    public func scene(_ scene: ApplicationScene, willContinueUserActivityWithType userActivityType: String) {
        scene.leave()
    }

    /// Leaves it to the app's delegate.
    public func scene(_ scene: ApplicationScene, continue userActivity: UserActivity) { scene.leave() }

    /// Leaves it to the app's delegate.
    public func scene(
        _ scene: ApplicationScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) { scene.leave() }

    /// Leaves it to the app's delegate.
    public func scene(_ scene: ApplicationScene, didUpdate userActivity: UserActivity) { scene.leave() }

    /// Nothing.
    public func stateRestorationActivity(for scene: ApplicationScene) -> UserActivity? { nil }
}
