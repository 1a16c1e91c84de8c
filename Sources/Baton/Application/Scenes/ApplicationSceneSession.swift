// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserActivity

/// What lasts from one run of a scene to the next: the counterpart of `UISceneSession`.
@preconcurrency @MainActor
public final class ApplicationSceneSession {
    /// Which window of the app this is.
    public let persistentIdentifier: String
    /// Where ``stateRestorationActivity`` is kept; nil keeps it for this run of the program only.
    public let stateFile: URL?
    /// The activity by which the scene comes back as it was; nil when nothing was saved, or the
    /// activity has expired.
    public var stateRestorationActivity: UserActivity?

    /// A session, with what was saved in its file.
    ///
    /// - Parameters:
    ///   - persistentIdentifier: Which window of the app this is.
    ///   - stateFile: A file of the app's own, such as one below `$XDG_STATE_HOME`. A file that
    ///     cannot be read, or is damaged, counts as none.
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
