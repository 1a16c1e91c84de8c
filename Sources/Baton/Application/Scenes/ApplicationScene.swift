// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// A window, or a group of related windows, that receives activities.
///
/// This class corresponds to `UIScene`. ``Application/connectScene(_:session:coordinator:)``
/// creates a scene. A scene is a responder, and the windows' responder chains end with it
/// (`nextResponder`). Its `userActivity` is the activity of the whole scene.
@preconcurrency @MainActor
public final class ApplicationScene: UserActivityResponder {
    /// The activities that a scene gets when it is connected.
    public struct ConnectionOptions: Sendable {
        /// The activities that arrived before the scene was connected.
        ///
        /// One of these activities may be the activity that the app was started for. If the
        /// delegate is informed of the connection, these activities are not passed to
        /// ``ApplicationSceneDelegate/scene(_:continue:)``.
        public let userActivities: Set<UserActivity>
        /// The type of an activity that is still being fetched.
        ///
        /// A call of ``ApplicationSceneDelegate/scene(_:continue:)``, or of the method for
        /// failures, follows.
        public let handoffUserActivityType: String?
    }

    /// The data that outlasts the scene.
    public let session: ApplicationSceneSession
    /// The app's own code. The scene keeps it alive.
    public var delegate: (any ApplicationSceneDelegate)?
    /// The application. The scene does not keep it alive.
    public private(set) weak var application: Application?
    /// The coordinator that manages the scene's activity.
    public let activityCoordinator: ResponderCoordinator

    /// Whether the delegate does not implement the method that was called last.
    private var isLeft = false

    init(
        of application: Application, delegate: any ApplicationSceneDelegate, session: ApplicationSceneSession,
        coordinator: ResponderCoordinator
    ) {
        self.application = application
        self.delegate = delegate
        self.session = session
        activityCoordinator = coordinator
    }

    /// Saves the activity that ``ApplicationSceneDelegate/stateRestorationActivity(for:)`` returns.
    ///
    /// The next scene of this session restores it. Call this function when the window goes to the
    /// background, and before it closes.
    ///
    /// - Throws: An error from writing ``ApplicationSceneSession/stateFile``.
    public func saveState() throws { try session.save(delegate?.stateRestorationActivity(for: self)) }

    /// Calls a method of the delegate, and returns whether the delegate implements it.
    func asks(_ question: (any ApplicationSceneDelegate) -> Void) -> Bool {
        guard let delegate else { return false }
        isLeft = false
        question(delegate)
        return !isLeft
    }

    /// Records that the delegate does not implement the called method.
    func leave() { isLeft = true }
}
