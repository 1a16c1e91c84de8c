// SPDX-License-Identifier: Apache-2.0

public import UserActivity

extension Application {
    /// The app's scenes, in the order in which they were connected.
    public var connectedScenes: [ApplicationScene] { receivers.scenes }

    /// The scene that receives activities.
    ///
    /// This is the scene that was connected last, unless the app sets another scene, such as the
    /// one that the user works with.
    public var activeScene: ApplicationScene? {
        get { receivers.activeScene }
        set { receivers.activeScene = newValue }
    }

    /// Called to open a window and connect its scene, now or later.
    ///
    /// Baton calls this closure when an activity arrives and no scene is connected. The activity
    /// waits for the scene. If the closure is nil, the activity goes to the ``delegate``.
    ///
    /// Set it before calling ``serve(as:on:)``. If the app was started for an activity, the new
    /// scene then gets the activity in ``ApplicationScene/ConnectionOptions/userActivities``.
    public var openScene: (@MainActor () -> Void)? {
        get { receivers.openScene }
        set { receivers.openScene = newValue }
    }

    /// Connects a scene, and gives its delegate the activities that waited for it.
    ///
    /// - Parameters:
    ///   - delegate: The app's own code for this scene. The scene keeps it alive.
    ///   - session: The saved session of an earlier scene, or nil for a new session.
    ///   - coordinator: The coordinator that manages the scene's activity.
    /// - Returns: The scene.
    @discardableResult
    public func connectScene(
        _ delegate: any ApplicationSceneDelegate, session: ApplicationSceneSession? = nil,
        coordinator: ResponderCoordinator? = nil
    ) -> ApplicationScene {
        let scene = ApplicationScene(
            of: self, delegate: delegate, session: session ?? ApplicationSceneSession(),
            coordinator: coordinator ?? .shared)
        receivers.connect(scene)
        return scene
    }

    /// Disconnects a scene whose window has closed, and releases its `userActivity`.
    ///
    /// The scene receives no more activities.
    public func disconnectScene(_ scene: ApplicationScene) {
        receivers.disconnect(scene)
        scene.userActivity = nil
    }
}
