// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DesktopEntries

/// What a hand-over to an app needs of the daemon.
public protocol ActivityFetcher: Sendable {
    /// Fetches the offered activity from the other device.
    func fetch() async throws -> ContinuedActivity
    /// Makes the continuation the app's.
    func give(_ continuation: String, to app: ClientID) async throws
    /// Tells the other device whether the app has taken the activity over.
    func accept(_ continuation: String, by app: ClientID, accepted: Bool) async
    /// Gives up a continuation that no app has got.
    func decline(_ continuation: String) async
}

/// What the user is shown where the app shows nothing.
public protocol HandoverNotices: Sendable {
    /// The hand-over has come so far.
    func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async
    /// The app shows nothing, or takes its time: show that the activity is on its way.
    func began(_ coming: ComingActivity, by app: DesktopEntry) async
    /// It is over, well or not; called for each that began.
    func ended(_ coming: ComingActivity) async
    /// The activity could not be continued.
    func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) async
}

/// One hand-over to an app: the app is started and the activity fetched side by side, unless nobody
/// has asked for it.
public struct AppHandover: Sendable {
    private let app: DesktopEntry
    private let coming: ComingActivity
    private let launcher: AppLauncher
    private let fetcher: any ActivityFetcher
    private let notices: any HandoverNotices
    private let waitsForActivity: Bool
    private let isHere: Bool
    private let adaptedApp: @Sendable (ContinuedActivity) -> DesktopEntry?
    private let patience: Duration

    /// A hand-over that has not begun.
    ///
    /// - Parameters:
    ///   - waitsForActivity: Whether the app is started, and told, only once the activity is here.
    ///     So it is where a rule has chosen: an app that nobody has asked for must not come up with
    ///     an empty window because of what is then refused.
    ///   - isHere: Whether the activity is here already, and has been told of.
    ///   - adaptedApp: The app in which an adapter goes on with what has come: from then on that is
    ///     what the user is shown, and the adapter is told.
    ///   - patience: How long the app may take to say that it shows something, before Baton does.
    public init(
        of coming: ComingActivity, to app: DesktopEntry, launcher: AppLauncher, fetcher: any ActivityFetcher,
        notices: any HandoverNotices, waitsForActivity: Bool = false, isHere: Bool = false,
        adaptedApp: @escaping @Sendable (ContinuedActivity) -> DesktopEntry? = { _ in nil },
        patience: Duration = .seconds(1)
    ) {
        self.app = app
        self.coming = coming
        self.launcher = launcher
        self.fetcher = fetcher
        self.notices = notices
        self.waitsForActivity = waitsForActivity
        self.isHere = isHere
        self.adaptedApp = adaptedApp
        self.patience = patience
    }

    /// Runs it; a cancelled task cancels it.
    ///
    /// - Throws: ``BatonError``; by then the app, or else the user, has been told.
    public func run() async throws {
        if !isHere { await notices.reached(.fetching, coming) }
        let fetching = Task { [fetcher, notices, coming] in
            let activity = try await fetcher.fetch()
            await notices.reached(.starting, coming)
            return activity
        }
        do {
            try await withTaskCancellationHandler {
                try await run(fetching)
            } onCancel: {
                fetching.cancel()
            }
        } catch {
            fetching.cancel()
            throw BatonError(anyError: error)
        }
    }

    private func run(_ fetching: Task<ContinuedActivity, any Error>) async throws {
        // A user who waits for an app to start is not to wonder whether the click was seen.
        let waiting = Task { [notices, coming, app, patience] in
            guard (try? await Task.sleep(for: patience)) != nil else { return false }
            await notices.began(coming, by: app)
            return true
        }
        let client: ApplicationBusClient
        let isShownByApp: Bool
        do {
            if waitsForActivity { _ = try await fetching.value }
            client = try await launcher.reach(app, activationToken: coming.activationToken)
            isShownByApp = try await announce(to: client)
        } catch {
            // An app that does not run, was not to be started, or cannot continue anything, gets no
            // call more.
            await giveUp(fetching)
            if await stop(waiting) { await notices.ended(coming) }
            await tellUser(app, error)
            throw error
        }
        switch (isShownByApp, await stop(waiting)) {
        case (true, true): await notices.ended(coming)
        case (false, false): await notices.began(coming, by: app)
        default: break
        }
        var shown = app
        do {
            var activity = try await fetching.value
            if let adapted = adaptedApp(activity) {
                (shown, activity.application) = (adapted, adapted.identifier)
                if !isShownByApp { await notices.began(coming, by: shown) }
            }
            await notices.reached(.delivering, coming)
            try await deliver(activity, to: client)
            if !isShownByApp { await notices.ended(coming) }
        } catch {
            if !isShownByApp { await notices.ended(coming) }
            await tellApp(client, shown, error)
            throw error
        }
    }

    /// Whether what was waited for has come already.
    private func stop(_ waiting: Task<Bool, Never>) async -> Bool {
        waiting.cancel()
        return await waiting.value
    }

    /// Whether the app shows what is under way; one that does not answer in time does not.
    private func announce(to client: ApplicationBusClient) async throws -> Bool {
        do {
            return try await client.willContinue(coming)
        } catch let error as BatonError where error.code == .remoteApplicationTimedOut {
            return false
        } catch let error as CancellationError {
            await tellApp(client, app, error)
            throw error
        }
    }

    private func deliver(_ activity: ContinuedActivity, to client: ApplicationBusClient) async throws {
        do {
            try Task.checkCancellation()
            try await fetcher.give(activity.continuation, to: client.owner)
        } catch {
            await fetcher.decline(activity.continuation)
            throw error
        }
        do {
            guard try await client.continueActivity(activity) else {
                throw BatonError(.applicationFailed, "\(app.name) did not take the activity over")
            }
        } catch {
            await fetcher.accept(activity.continuation, by: client.owner, accepted: false)
            throw Self.ofThisDevice(error)
        }
        await fetcher.accept(activity.continuation, by: client.owner, accepted: true)
    }

    /// An app here that does not answer is not the one on the other device.
    private static func ofThisDevice(_ error: any Error) -> any Error {
        guard let error = error as? BatonError, error.code == .remoteApplicationTimedOut else { return error }
        return BatonError(.applicationFailed, error.message, cause: error.cause)
    }

    private func giveUp(_ fetching: Task<ContinuedActivity, any Error>) async {
        fetching.cancel()
        if case .success(let activity) = await fetching.result { await fetcher.decline(activity.continuation) }
    }

    /// The app says that it failed; where it cannot, Baton does. In a task of its own, as this one
    /// may be cancelled.
    private func tellApp(_ client: ApplicationBusClient, _ shown: DesktopEntry, _ error: any Error) async {
        await Task { [self] in
            let isTold: Void? = try? await client.didFail(type: coming.type, error: BatonError(anyError: error))
            if isTold == nil { await tellUser(shown, error) }
        }.value
    }

    /// What the user did not want any more is no news.
    private func tellUser(_ shown: DesktopEntry, _ error: any Error) async {
        let error = BatonError(anyError: error)
        guard error.code != .userCancelled else { return }
        await notices.failed(coming, by: shown, error)
    }
}
