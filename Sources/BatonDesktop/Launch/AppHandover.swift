// SPDX-License-Identifier: Apache-2.0

public import BatonBus
public import DesktopEntries
import Diagnosis

/// The daemon's services for a hand-over to an app.
public protocol ActivityFetcher: Sendable {
    /// Fetches the offered activity from the other device.
    func fetch() async throws -> ContinuedActivity
    /// Transfers the continuation to the app.
    func give(_ continuation: String, to app: ClientID) async throws
    /// Tells the other device whether the app accepted the activity.
    func accept(_ continuation: String, by app: ClientID, accepted: Bool) async
    /// Declines a continuation that was not transferred to an app.
    func decline(_ continuation: String) async
}

/// Shows the progress of hand-overs to the user, unless the app does so.
public protocol HandoverNotices: Sendable {
    /// Reports that the hand-over has reached a phase.
    func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async
    /// Shows that the activity is on its way, because the app shows nothing or is slow.
    func began(_ coming: ComingActivity, by app: DesktopEntry) async
    /// Withdraws the progress after success or failure. Called once if `began` was called before.
    func ended(_ coming: ComingActivity) async
    /// Reports that the activity could not be continued.
    func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) async
}

/// One hand-over to an app. The app starts while the activity is fetched, unless a rule chose the
/// activity.
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

    /// Creates a hand-over that has not begun.
    ///
    /// - Parameters:
    ///   - waitsForActivity: Whether the app is started and informed only after the activity has
    ///     arrived. A rule needs this. If the fetch is refused, an app that the user did not ask
    ///     for must not open an empty window.
    ///   - isHere: Whether the activity was fetched already, and its progress reported.
    ///   - adaptedApp: Returns the app in which an adapter continues the activity. From then on the
    ///     user sees that app, and the adapter receives its id.
    ///   - patience: How long Baton waits for the app to show progress before it does so itself.
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

    /// Runs the hand-over. Cancelling the task cancels the hand-over.
    ///
    /// - Throws: ``BatonError``. The app or the user has already been informed.
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
        // Show progress after a while, so that the user knows that the click was noticed.
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
            // Do not call an app that was not started or cannot continue anything.
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

    /// Cancels a task that waits, and returns whether it has finished its work already.
    private func stop(_ waiting: Task<Bool, Never>) async -> Bool {
        waiting.cancel()
        return await waiting.value
    }

    /// Announces the activity to the app, and returns whether the app itself shows the progress. If
    /// the app does not answer in time, Baton shows the progress.
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
                throw BatonError(.applicationFailed, .appNotTaken, ["app": .text(app.name)])
            }
        } catch {
            await fetcher.accept(activity.continuation, by: client.owner, accepted: false)
            throw Self.ofThisDevice(error)
        }
        await fetcher.accept(activity.continuation, by: client.owner, accepted: true)
    }

    /// Returns an error that blames the app on this device for a timeout. The original error would
    /// blame the other device's app.
    private static func ofThisDevice(_ error: any Error) -> any Error {
        guard var error = error as? BatonError, error.code == .remoteApplicationTimedOut else { return error }
        error.code = .applicationFailed
        return error
    }

    private func giveUp(_ fetching: Task<ContinuedActivity, any Error>) async {
        fetching.cancel()
        if case .success(let activity) = await fetching.result { await fetcher.decline(activity.continuation) }
    }

    /// Tells the app that the hand-over failed, or the user if the app cannot be told. Runs in its
    /// own task, because the current one may be cancelled.
    private func tellApp(_ client: ApplicationBusClient, _ shown: DesktopEntry, _ error: any Error) async {
        await Task { [self] in
            let isTold: Void? = try? await client.didFail(type: coming.type, error: BatonError(anyError: error))
            if isTold == nil { await tellUser(shown, error) }
        }.value
    }

    /// Tells the user that the hand-over failed, unless the user cancelled it.
    private func tellUser(_ shown: DesktopEntry, _ error: any Error) async {
        let error = BatonError(anyError: error)
        guard error.code != .userCancelled else { return }
        await notices.failed(coming, by: shown, error)
    }
}
