// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserActivity

/// The data that outlasts a scene, from one run to the next. The class corresponds to
/// `UISceneSession`.
@preconcurrency @MainActor
public final class ApplicationSceneSession {
    /// The app's identifier for the window.
    public let persistentIdentifier: String
    /// The file that stores ``stateRestorationActivity``. If it is nil, the activity is kept only
    /// until the app ends.
    public let stateFile: URL?
    /// The activity that restores the scene.
    ///
    /// The activity is nil when nothing was saved, or the saved activity has expired.
    public var stateRestorationActivity: UserActivity?

    /// Creates a session, and reads the activity saved in its file.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: The app's identifier for the window.
    ///   - stateFile: A file of the app's own, such as one below `$XDG_STATE_HOME`. A file that is
    ///     damaged or cannot be read counts as missing.
    public init(persistentIdentifier: String = "main", stateFile: URL? = nil) {
        self.persistentIdentifier = persistentIdentifier
        self.stateFile = stateFile
        stateRestorationActivity = stateFile.flatMap { SceneStateFile($0).read() }.map { UserActivity(state: $0) }
    }

    func save(_ activity: UserActivity?) throws {
        stateRestorationActivity = activity
        guard let file = stateFile.map(SceneStateFile.init) else { return }
        if let activity { try file.write(activity.currentState) } else { try file.remove() }
    }
}
