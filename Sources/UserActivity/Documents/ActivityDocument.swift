// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An open document that has an activity of its own while its file is in a shared folder: what `UIDocument` and `NSDocument` do.
///
/// The document is a responder: put it into `mainChain` after its window's responders. It never becomes current by itself, for a
/// document without a window is nothing that the user does. Its activity may be shared with controllers, by
/// `controller.userActivity = document.userActivity`: all are asked when it is saved. Subclass it to open and to restore.
@MainActor
open class ActivityDocument: UserActivityResponder {
    /// Where the file is; nil for a document that was never saved.
    public private(set) var fileURL: URL?
    /// The activity type that the app declares for documents of this kind; nil: they have no activities.
    public let activityType: String?
    /// The folders that other devices have too.
    public let folders: SharedFolders
    /// Who looks after the document's activity.
    public let activityCoordinator: ResponderCoordinator

    private let host: (any UserActivityHost)?
    private var observers: [UUID: AsyncStream<UserActivity?>.Continuation] = [:]
    private var isClosed = false

    /// A document that was opened.
    ///
    /// - Parameters:
    ///   - fileURL: Where its file is.
    ///   - activityType: The type that the app declares for documents of this kind.
    ///   - folders: The folders that other devices have too.
    ///   - host: What carries its activity.
    ///   - coordinator: Who looks after its activity; the program's, where there are not two apps in one process.
    public init(
        fileURL: URL?, activityType: String?, folders: SharedFolders,
        host: (any UserActivityHost)? = UserActivity.defaultHost, coordinator: ResponderCoordinator? = nil
    ) {
        self.fileURL = fileURL
        self.activityType = activityType
        self.folders = folders
        self.host = host
        activityCoordinator = coordinator ?? .shared
        look()
    }

    /// The document was saved elsewhere, or moved: it gets an activity, or loses it, as it enters or leaves a shared folder.
    ///
    /// - Parameter fileURL: Where its file is now.
    public func move(to fileURL: URL?) {
        self.fileURL = fileURL
        userActivity?.needsSave = true
        look()
    }

    /// The user closes the document: its activity ends, also where controllers share it.
    public func close() {
        isClosed = true
        let activity = userActivity
        look()
        activity?.invalidate()
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    /// The document's activity now, and at each change; finishes when the document is closed.
    public var userActivityChanges: AsyncStream<UserActivity?> {
        let (stream, continuation) = AsyncStream.makeStream(of: UserActivity?.self)
        continuation.yield(userActivity)
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        let key = UUID()
        observers[key] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.observers[key] = nil }
        }
        return stream
    }

    /// Puts the document's URL into the activity; a subclass adds to it, and calls `super`.
    open func updateUserActivityState(_ activity: UserActivity) {
        guard let fileURL, let url = folders.travelling(fileURL) else { return }
        activity.title = fileURL.lastPathComponent
        activity.addUserInfoEntries(from: [UserActivityDocumentURLKey: url])
    }

    /// Takes nothing: a subclass goes to where the user was.
    open func restoreUserActivityState(_ activity: UserActivity) {}

    private func look() {
        let wanted = !isClosed && activityType != nil && fileURL.flatMap { folders.travelling($0) } != nil
        guard wanted != (userActivity != nil) else { return }
        userActivity = wanted ? activityType.map { UserActivity(activityType: $0, host: host) } : nil
        for observer in observers.values { observer.yield(userActivity) }
    }
}
