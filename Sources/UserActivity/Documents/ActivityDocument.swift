// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An open document that has an activity of its own, like `UIDocument` and `NSDocument`.
///
/// If the document's file is in a shared folder, the activity names the file's place in that
/// folder. For a file elsewhere the document has an activity only if it has ``contents``. The other
/// device then receives the contents through the continuation streams.
///
/// The document is a responder: put it into `mainChain` after its window's responders. The activity
/// never becomes current by itself, because the user does not work with a document without a
/// window. Controllers may share the activity, by
/// `controller.userActivity = document.userActivity`. When the activity is saved, the document and
/// each of these controllers update it. Subclass this class to open and to restore documents.
@preconcurrency @MainActor
open class ActivityDocument: UserActivityResponder {
    /// The document's file, or nil for a document that was never saved.
    public private(set) var fileURL: URL?
    /// The activity type that the app declares for such documents, or nil for no activities.
    public let activityType: String?
    /// The folders that other devices have too.
    public let folders: SharedFolders
    /// Returns the document with its unsaved changes, for a device that does not have its file.
    ///
    /// If this property is nil, a document outside of shared folders has no activity. While Baton
    /// sends the contents in this way, the document sets the activity's delegate.
    public let contents: (@MainActor @Sendable (URL) throws -> Data)?
    /// The coordinator that manages the document's activity.
    public let activityCoordinator: ResponderCoordinator

    private let host: (any UserActivityHost)?
    private var observers: [UUID: AsyncStream<UserActivity?>.Continuation] = [:]
    private var isClosed = false
    private var sender: DocumentSender?

    /// Creates an open document.
    ///
    /// - Parameters:
    ///   - fileURL: The document's file.
    ///   - activityType: The type that the app declares for documents of this kind.
    ///   - folders: The folders that other devices have too.
    ///   - contents: Returns the document for devices that have its file in no shared folder.
    ///     `savedFile`, of the module `Baton`, returns the last saved contents.
    ///   - host: The host that carries the document's activity.
    ///   - coordinator: The coordinator that manages the document's activity; nil for the program's
    ///     own. Only a process with two apps needs another coordinator.
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

    /// Tells the document that its file was moved or saved elsewhere.
    ///
    /// The document gets or loses an activity if the file enters or leaves a shared folder.
    ///
    /// - Parameter fileURL: The new place of the file.
    public func move(to fileURL: URL?) {
        self.fileURL = fileURL
        userActivity?.needsSave = true
        look()
    }

    /// Ends the document's activity, even if controllers share it. Call this when the user closes
    /// the document.
    public func close() {
        isClosed = true
        let activity = userActivity
        look()
        activity?.invalidate()
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    /// The document's activity: first the present value, then each change.
    ///
    /// Ends when the document closes.
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

    /// Adds the document's URL to the activity. A subclass that adds more must call `super`.
    open func updateUserActivityState(_ activity: UserActivity) {
        guard let fileURL, let url = travellingURL else { return }
        activity.title = DocumentName.shown(fileURL.lastPathComponent)
        activity.withLock { $0.documentFile = fileURL }
        activity.addUserInfoEntries(from: [UserActivityDocumentURLKey: url])
    }

    /// Does nothing. A subclass overrides this function to show the place where the user was.
    open func restoreUserActivityState(_ activity: UserActivity) {}

    /// The URL to send: the place in a shared folder if there is one, otherwise the file's name.
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

    /// Starts or stops sending the contents, as the file leaves or enters a shared folder.
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
