// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An open document that has an activity of its own: what `UIDocument` and `NSDocument` do.
///
/// While its file is in a shared folder, its place there travels. Elsewhere it has an activity if
/// it was given ``contents``, which the other device then gets through the continuation streams.
///
/// The document is a responder: put it into `mainChain` after its window's responders. It never
/// becomes current by itself, for a document without a window is nothing that the user does. Its
/// activity may be shared with controllers, by `controller.userActivity = document.userActivity`:
/// all are asked when it is saved. Subclass it to open and to restore.
@preconcurrency @MainActor
open class ActivityDocument: UserActivityResponder {
    /// Where the file is; nil for a document that was never saved.
    public private(set) var fileURL: URL?
    /// The activity type that the app declares for documents of this kind; nil: they have no
    /// activities.
    public let activityType: String?
    /// The folders that other devices have too.
    public let folders: SharedFolders
    /// The document as it is now, unsaved changes included, for a device that has not got its file;
    /// nil: it stays here, and has no activity outside of shared folders. While it travels in this
    /// way the activity's delegate is the document's own.
    public let contents: (@MainActor @Sendable (URL) throws -> Data)?
    /// Who looks after the document's activity.
    public let activityCoordinator: ResponderCoordinator

    private let host: (any UserActivityHost)?
    private var observers: [UUID: AsyncStream<UserActivity?>.Continuation] = [:]
    private var isClosed = false
    private var sender: DocumentSender?

    /// A document that was opened.
    ///
    /// - Parameters:
    ///   - fileURL: Where its file is.
    ///   - activityType: The type that the app declares for documents of this kind.
    ///   - folders: The folders that other devices have too.
    ///   - contents: Gives the document for devices that have its file in no shared folder;
    ///     `savedFile`, of the module `Baton`, is what was saved.
    ///   - host: What carries its activity.
    ///   - coordinator: Who looks after its activity; the program's, where there are not two apps
    ///     in one process.
    public init(
        fileURL: URL?, activityType: String?, folders: SharedFolders,
        contents: (@MainActor @Sendable (URL) throws -> Data)? = nil,
        host: (any UserActivityHost)? = UserActivity.defaultHost, coordinator: ResponderCoordinator? = nil
    ) {
        self.fileURL = fileURL
        self.activityType = activityType
        self.folders = folders
        self.contents = contents
        self.host = host
        activityCoordinator = coordinator ?? .shared
        look()
    }

    /// The document was saved elsewhere, or moved: it gets an activity, or loses it, as it enters
    /// or leaves a shared folder.
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
        guard let fileURL, let url = travellingURL else { return }
        activity.title = DocumentName.shown(fileURL.lastPathComponent)
        activity.withLock { $0.documentFile = fileURL }
        activity.addUserInfoEntries(from: [UserActivityDocumentURLKey: url])
    }

    /// Takes nothing: a subclass goes to where the user was.
    open func restoreUserActivityState(_ activity: UserActivity) {}

    /// The URL as it travels: by a shared folder if there is one, else by name.
    private var travellingURL: URL? {
        guard let fileURL else { return nil }
        if let shared = folders.travelling(fileURL) { return shared }
        return contents == nil ? nil : DocumentStream.url(name: fileURL.lastPathComponent)
    }

    private func look() {
        let url = travellingURL
        let wanted = !isClosed && activityType != nil && url != nil
        let streams = wanted && url?.scheme == DocumentStream.scheme
        guard wanted != (userActivity != nil) else { return stream(streams, by: userActivity) }
        let activity = wanted ? activityType.map { UserActivity(activityType: $0, host: host) } : nil
        stream(streams, by: activity)
        userActivity = activity
        for observer in observers.values { observer.yield(activity) }
    }

    /// Begins or ends to give the contents away by streams, as the file leaves or enters a shared
    /// folder.
    private func stream(_ streams: Bool, by activity: UserActivity?) {
        guard streams != (sender != nil) else { return }
        if streams {
            let sender = DocumentSender { [weak self] in
                guard let self, !self.isClosed, let fileURL = self.fileURL, let contents = self.contents else {
                    throw CocoaError(.fileNoSuchFile)
                }
                return try contents(fileURL)
            }
            self.sender = sender
            activity?.delegate = sender
        } else {
            if activity?.delegate === sender { activity?.delegate = nil }
            sender = nil
        }
        activity?.supportsContinuationStreams = streams
    }
}
