// SPDX-License-Identifier: Apache-2.0

public import UserActivity

extension Application {
    /// The app's scenes, in the order in which they were connected.
    public var connectedScenes: [ApplicationScene] { receivers.scenes }

    /// The scene that activities go to: the one that was connected last, unless the app sets the
    /// one that the user turns to.
    public var activeScene: ApplicationScene? {
        get { receivers.activeScene }
        set { receivers.activeScene = newValue }
    }

    /// Opens a window and connects its scene, now or later: called when an activity comes and no
    /// scene is connected. The activity waits for the scene. Nil leaves such activities to the
    /// ``delegate``.
    ///
    /// Set it before ``serve(as:on:)``: an app that was started for an activity gets it in
    /// ``ApplicationScene/ConnectionOptions/userActivities``.
    public var openScene: (@MainActor () -> Void)? {
        get { receivers.openScene }
        set { receivers.openScene = newValue }
    }

    /// Connects a scene: its delegate is told, with the activities that waited for it.
    ///
    /// - Parameters:
    ///   - delegate: The app's own code for this scene; kept until the scene is disconnected.
    ///   - session: What was saved of an earlier scene; nothing unless given.
    ///   - coordinator: Who looks after the scene's activity.
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

    /// Disconnects a scene whose window has closed: no activity goes to it any more. Its
    /// `userActivity` is let go.
    public func disconnectScene(_ scene: ApplicationScene) {
        receivers.disconnect(scene)
        scene.userActivity = nil
    }
}
