// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import Foundation
public import UserActivity

/// An app that continues activities.
///
/// An application calls its delegate in the right order, restores the app's state, and tells the
/// other device whether the activity was taken over.
@preconcurrency @MainActor
public final class Application {
    /// A message for the user about an activity whose progress or failure the delegate does not
    /// show.
    public enum Notice: Sendable {
        /// An activity is being fetched.
        case continuing(activityType: String)
        /// An activity could not be continued.
        case failed(activityType: String, error: any Error)
    }

    /// Opens a document that another device had open, and returns the object to restore.
    public typealias DocumentOpener = @MainActor (_ url: URL) async throws -> (any UserActivityRestoring)?

    /// The app's delegate, of which this object has only a weak reference.
    public weak var delegate: (any ApplicationDelegate)?
    /// The activities that the app continues.
    public let declaration: ApplicationDeclaration
    /// Called to open a document if an activity names one and the delegate does not handle the
    /// activity.
    ///
    /// If the closure is nil, the app opens no documents.
    public var openDocument: DocumentOpener?

    /// The folders that other devices have too, initially from the user's configuration.
    ///
    /// A document's URL in one of them becomes a path on this device before the delegate sees it.
    public var sharedFolders: SharedFolders

    /// The directory for copies of documents that are in no shared folder.
    ///
    /// The default is `$XDG_DATA_HOME/baton/documents`. A copy stays until the app stops accessing
    /// it, or the user deletes it.
    public var documentsDirectory = ReceivedDocuments.defaultDirectory
    /// The largest document to receive, in bytes.
    public var maximumDocumentSize = ActivityDocument.largestSavedFile
    /// How long to wait for the next byte of a document before the hand-over fails.
    ///
    /// The whole document may take 60 times as long.
    public var documentPatience = Duration.seconds(30)

    /// The scenes and views that are asked before the delegate.
    let receivers = ActivityReceivers()

    /// Whether the delegate is being told of a failure that the daemon reported.
    private var isFailureServed = false
    private var isFailureLeft = false
    private let informUser: @MainActor (Notice) -> Void

    /// Creates an application.
    ///
    /// - Parameters:
    ///   - declaration: The activities that the app continues. Their types become
    ///     `UserActivity.declaredActivityTypes`.
    ///   - delegate: The app's delegate. The application has only a weak reference to it.
    ///   - coordinator: The coordinator of the app's responders, or nil for the shared one.
    ///   - folders: The configuration file of ``sharedFolders``. A line with a mistake is ignored
    ///     and logged.
    ///   - inform: Called to show a notice to the user.
    public init(
        declaration: ApplicationDeclaration, delegate: (any ApplicationDelegate)?,
        coordinator: ResponderCoordinator? = nil, folders: URL = SharedFolders.configurationFile,
        inform: @escaping @MainActor (Notice) -> Void
    ) {
        self.declaration = declaration
        self.delegate = delegate
        informUser = inform
        sharedFolders = .configured(in: folders) { NSLog("%@", "Baton: \($0)") }
        UserActivity.declaredActivityTypes = declaration.continuableTypes
        (coordinator ?? .shared).didUpdate = { [weak self] activity in
            guard let self, !self.receivers.update(activity) else { return }
            self.delegate?.application(self, didUpdate: activity)
        }
    }

    /// Continues an activity.
    ///
    /// - Parameters:
    ///   - type: The activity's type, from the offer.
    ///   - fetch: Fetches the activity from the other device.
    /// - Returns: The activity, or nil if the app did not take it over.
    @discardableResult
    public func continueActivity(
        ofType type: String, fetch: @escaping @Sendable () async throws -> any ContinuedOffer
    ) async -> UserActivity? {
        guard declaration.continues(type) else {
            fail(type, CocoaError(.userActivityHandoffFailed))
            return nil
        }
        // Announce the activity to the app during the fetch, so that the app can show the progress.
        let fetching = Task { try await fetch() }
        if !announce(type) { inform(.continuing(activityType: type)) }
        do {
            let fetched = try await withTaskCancellationHandler {
                try await fetching.value
            } onCancel: {
                fetching.cancel()
            }
            let isTaken: Bool
            do {
                isTaken = try await take(fetched.activity)
            } catch {
                try? await fetched.decline()
                throw error
            }
            guard isTaken else {
                try? await fetched.decline()
                throw CocoaError(.userActivityHandoffFailed)
            }
            // The app has taken the activity over, even if the other device cannot be told.
            do { try await fetched.accept() } catch { NSLog("%@", "Baton: the other device was not told: \(error)") }
            return fetched.activity
        } catch {
            fail(type, Self.foundationError(error))
            return nil
        }
    }

    /// Continues an offer of another device.
    ///
    /// - Parameters:
    ///   - offer: The offer. Its type must be known.
    ///   - connection: The connection to the daemon.
    /// - Returns: The activity, or nil if the app did not take it over.
    @discardableResult
    public func continueOffer(_ offer: OfferSummary, on connection: BatonConnection) async -> UserActivity? {
        let identifier = offer.offer
        return await continueActivity(ofType: offer.type ?? "") { try await connection.continueOffer(identifier) }
    }

    /// Announces an activity to the delegate, and returns whether the app shows its progress.
    func announce(_ type: String) -> Bool {
        receivers.announce(type) ?? delegate?.application(self, willContinueUserActivityWithType: type) ?? false
    }

    /// Shows a notice to the user. The daemon itself shows the failures that it reported.
    public func inform(_ notice: Notice) {
        if isFailureServed, case .failed = notice { isFailureLeft = true } else { informUser(notice) }
    }

    /// Tells the delegate about a failure that the daemon reported.
    ///
    /// - Returns: Whether the app tells the user. If it is false, the daemon must do so.
    func failForDaemon(_ type: String, _ error: any Error) -> Bool {
        (isFailureServed, isFailureLeft) = (true, false)
        defer { isFailureServed = false }
        fail(type, error)
        return !isFailureLeft
    }

    /// Gives an activity to the delegate or opens its document.
    ///
    /// - Returns: Whether the activity was taken over.
    func take(_ activity: UserActivity) async throws -> Bool {
        let foreign = activity.isFromAnotherDevice ? activity.documentURL : nil
        let document = try await receiveDocument(of: activity)
        var isKept = false
        defer { if !isKept, let document { ScopedAccess.shared.revoke(document) } }
        let restore: ([any UserActivityRestoring]?) -> Void = { objects in
            for object in objects ?? [] { object.restoreUserActivityState(activity) }
        }
        let handled =
            receivers.take(activity) ?? delegate?.application(self, continue: activity, restorationHandler: restore)
            ?? false
        if handled {
            // Keep the document: the delegate may read it later.
            isKept = true
            return true
        }
        // Never open the path that the other device sent, because another device must not choose
        // among this device's files.
        guard let openDocument, let url = activity.documentURL, url.isFileURL, url != foreign else { return false }
        // Permit access now, because `openDocument` does not ask for access.
        if let document { isKept = ScopedAccess.shared.start(document) }
        do {
            try await openDocument(url)?.restoreUserActivityState(activity)
        } catch {
            if let document, isKept { ScopedAccess.shared.stop(document) }
            throw error
        }
        return true
    }

    /// Replaces the document's URL in the activity by a path on this device.
    ///
    /// Fetches the document if it is in no shared folder.
    ///
    /// - Returns: The copy of the document, or nil if no copy was made.
    private func receiveDocument(of activity: UserActivity) async throws -> URL? {
        guard let url = activity.documentURL else { return nil }
        if let (file, root) = sharedFolders.localFile(url) {
            ScopedAccess.shared.grant(file, sharedIn: root)
            activity.addUserInfoEntries(from: [UserActivityDocumentURLKey: file])
        } else if let name = DocumentStream.name(in: url) {
            let file = try await ReceivedDocuments.fetch(
                activity, name: name, into: documentsDirectory, limit: maximumDocumentSize, patience: documentPatience)
            activity.addUserInfoEntries(from: [UserActivityDocumentURLKey: file])
            return file
        }
        return nil
    }

    func fail(_ type: String, _ error: any Error) {
        if receivers.fail(type, error) { return }
        if let delegate {
            delegate.application(self, didFailToContinueUserActivityWithType: type, error: error)
        } else {
            inform(.failed(activityType: type, error: error))
        }
    }

    static func foundationError(_ error: any Error) -> any Error {
        switch error {
        case let error as BatonError: error.foundationError
        case is CancellationError: CocoaError(.userCancelled)
        case let error as UserActivityError:
            CocoaError(
                .userActivityHandoffFailed,
                userInfo: [NSUnderlyingErrorKey: error, NSLocalizedDescriptionKey: error.description])
        default: error
        }
    }
}
