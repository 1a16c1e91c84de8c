// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import Foundation
public import UserActivity

/// An app that continues activities: it asks its delegate in the right order, restores, and tells
/// the other device.
@preconcurrency @MainActor
public final class Application {
    /// What the user should know, where the app does not say it.
    public enum Notice: Sendable {
        /// An activity is being fetched, and the app shows nothing.
        case continuing(activityType: String)
        /// It could not be continued, and the app does not say so.
        case failed(activityType: String, error: any Error)
    }

    /// Opens a document that another device had open, and returns what is to be restored.
    public typealias DocumentOpener = @MainActor (_ url: URL) async throws -> (any UserActivityRestoring)?

    /// Whom the app's own code is asked by; not kept alive.
    public weak var delegate: (any ApplicationDelegate)?
    /// What the app continues.
    public let declaration: ApplicationDeclaration
    /// Opens documents when the delegate leaves an activity with a document's URL to Baton; nil:
    /// none can be opened.
    public var openDocument: DocumentOpener?

    /// The folders that other devices have too: a document's URL in one becomes this device's own
    /// before the delegate sees it. At first those of the user's configuration.
    public var sharedFolders: SharedFolders

    /// Where copies of documents are put that other devices have in no shared folder;
    /// `$XDG_DATA_HOME/baton/documents` unless set, where they stay.
    public var documentsDirectory = ReceivedDocuments.defaultDirectory
    /// How many bytes such a document may have.
    public var maximumDocumentSize = ActivityDocument.largestSavedFile
    /// How long the app on the other device may write nothing of such a document before it has
    /// failed; all of it may take 60 times that.
    public var documentPatience = Duration.seconds(30)

    /// Who is asked before the delegate.
    let receivers = ActivityReceivers()

    /// While the delegate is told of a failure for the daemon; and whether it has left that to
    /// Baton.
    private var isFailureServed = false
    private var isFailureLeft = false
    private let informUser: @MainActor (Notice) -> Void

    /// An app.
    ///
    /// - Parameters:
    ///   - declaration: What it continues. Its types become `UserActivity.declaredActivityTypes`.
    ///   - delegate: The app's own code; not kept alive.
    ///   - coordinator: Who looks after its responders.
    ///   - folders: The configuration of ``sharedFolders``; with a mistake in it, which is logged,
    ///     there are none.
    ///   - inform: Shows a notice to the user.
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
    ///   - type: Its type, as the offer says it.
    ///   - fetch: Gets it from the other device.
    /// - Returns: The activity, if the app took it over.
    @discardableResult
    public func continueActivity(
        ofType type: String, fetch: @escaping @Sendable () async throws -> any ContinuedOffer
    ) async -> UserActivity? {
        guard declaration.continues(type) else {
            fail(type, CocoaError(.userActivityHandoffFailed))
            return nil
        }
        // What the app shows and what is fetched go on side by side.
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
            // The app goes on, whether or not the other device can be told.
            do { try await fetched.accept() } catch { NSLog("%@", "Baton: the other device was not told: \(error)") }
            return fetched.activity
        } catch {
            fail(type, Self.foundationError(error))
            return nil
        }
    }

    /// Continues what another device offers.
    ///
    /// - Parameters:
    ///   - offer: The offer, whose type must be known.
    ///   - connection: The connection to the daemon.
    /// - Returns: The activity, if the app took it over.
    @discardableResult
    public func continueOffer(_ offer: OfferSummary, on connection: BatonConnection) async -> UserActivity? {
        let identifier = offer.offer
        return await continueActivity(ofType: offer.type ?? "") { try await connection.continueOffer(identifier) }
    }

    /// Asks the delegate whether it shows that an activity is on its way.
    func announce(_ type: String) -> Bool {
        receivers.announce(type) ?? delegate?.application(self, willContinueUserActivityWithType: type) ?? false
    }

    /// Shows a notice to the user; the daemon does where it has called, for what failed.
    public func inform(_ notice: Notice) {
        if isFailureServed, case .failed = notice { isFailureLeft = true } else { informUser(notice) }
    }

    /// Tells the delegate of a failure for the daemon.
    ///
    /// - Returns: Whether the app says it to the user; otherwise the daemon does.
    func failForDaemon(_ type: String, _ error: any Error) -> Bool {
        (isFailureServed, isFailureLeft) = (true, false)
        defer { isFailureServed = false }
        fail(type, error)
        return !isFailureLeft
    }

    /// Hands an activity to the delegate, or opens its document; says whether it was taken over.
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
            // The delegate may begin to read later.
            isKept = true
            return true
        }
        // No other device says by its own word which of this one's files are opened.
        guard let openDocument, let url = activity.documentURL, url.isFileURL, url != foreign else { return false }
        // What Baton opens for the app needs no asking.
        if let document { isKept = ScopedAccess.shared.start(document) }
        do {
            try await openDocument(url)?.restoreUserActivityState(activity)
        } catch {
            if let document, isKept { ScopedAccess.shared.stop(document) }
            throw error
        }
        return true
    }

    /// Puts this device's own place of a document into the activity, fetching the document if need
    /// be.
    ///
    /// - Returns: The copy that was made for this app, if one was.
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
