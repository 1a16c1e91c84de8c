// SPDX-License-Identifier: Apache-2.0

public import UserActivity

/// A window, or a group of windows that belong together, as far as activities are concerned: the
/// counterpart of `UIScene`.
///
/// ``Application/connectScene(_:session:coordinator:)`` makes one. A scene is a responder: windows
/// name it as the end of their chain (`nextResponder`), and its `userActivity` is what it is about.
@preconcurrency @MainActor
public final class ApplicationScene: UserActivityResponder {
    /// Why a scene is being connected.
    public struct ConnectionOptions: Sendable {
        /// The activities that came before the scene was there, such as the one that the app was
        /// started for. They are not given to ``ApplicationSceneDelegate/scene(_:continue:)``.
        public let userActivities: Set<UserActivity>
        /// The type of an activity that is still being fetched:
        /// ``ApplicationSceneDelegate/scene(_:continue:)`` follows, or the failure.
        public let handoffUserActivityType: String?
    }

    /// What lasts longer than the scene.
    public let session: ApplicationSceneSession
    /// The app's own code; kept alive.
    public var delegate: (any ApplicationSceneDelegate)?
    /// The application; not kept alive.
    public private(set) weak var application: Application?
    /// Who looks after the scene's activity.
    public let activityCoordinator: ResponderCoordinator

    /// Whether the delegate has left the last question to the defaults.
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

    /// Saves what ``ApplicationSceneDelegate/stateRestorationActivity(for:)`` returns, for the next
    /// scene of this session. Call it when the window goes to the background, and before it closes.
    ///
    /// - Throws: What writing ``ApplicationSceneSession/stateFile`` throws.
    public func saveState() throws { try session.save(delegate?.stateRestorationActivity(for: self)) }

    /// Asks the delegate something; says whether it has a member for that.
    func asks(_ question: (any ApplicationSceneDelegate) -> Void) -> Bool {
        guard let delegate else { return false }
        isLeft = false
        question(delegate)
        return !isLeft
    }

    /// The delegate has no member for what it was asked.
    func leave() { isLeft = true }
}
