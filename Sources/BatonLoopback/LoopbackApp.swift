// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
public import UserActivity

/// One app of a ``Loopback``.
public final class LoopbackApp: UserActivityHost {
    /// The name that the other apps see.
    public let name: String
    /// Where the delegates of the app's activities are called, such as on a dispatch queue.
    public let callbackDelivery: CallbackDelivery

    private struct State {
        weak var current: UserActivity?
        var currentIdentity: UserActivity.Identity?
        var warnings: [String] = []
        var waiting: [UserActivity.Identity: Wait] = [:]
    }

    private struct Wait {
        let isOver: @Sendable ([LoopbackOffer]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state = Mutex(State())
    // A strong reference, so that the loopback lives as long as any of its apps.
    private let loopback: Loopback

    init(name: String, delivery: CallbackDelivery, loopback: Loopback) {
        self.name = name
        callbackDelivery = delivery
        self.loopback = loopback
    }

    /// The warnings for this app's developer, in order.
    public var warnings: [String] { state.withLock { $0.warnings } }

    /// The other apps' current activities that have not expired.
    public var offers: [LoopbackOffer] { loopback.apps.filter { $0 !== self }.compactMap(\.offer) }

    /// Waits until another app offers an activity of a type.
    ///
    /// - Parameter activityType: The type.
    /// - Returns: The offer. If the task is cancelled, for example by a test's time limit, it is an
    ///   offer that no app made and that cannot be continued.
    public func offer(ofType activityType: String) async -> LoopbackOffer {
        while !Task.isCancelled {
            if let found = offers.first(where: { $0.activityType == activityType }) { return found }
            await wait { offers in offers.contains { $0.activityType == activityType } }
        }
        return LoopbackOffer(app: "", activityType: activityType, title: nil, identity: UserActivity.Identity())
    }

    /// Waits until no other app offers an activity of a type, or the task is cancelled.
    ///
    /// - Parameter activityType: The type.
    public func noOffer(ofType activityType: String) async {
        await wait { offers in !offers.contains { $0.activityType == activityType } }
    }

    /// Fetches an activity that another app offers, after asking that app's delegate for changes.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - timeout: How long the other app's delegate may take. The default is longer than the 5 s
    ///     that the daemon allows, because a test machine may be busy.
    /// - Returns: The activity, which must be accepted or declined.
    /// - Throws: `CocoaError` with `userActivityConnectionUnavailable` if the offer is gone, or
    ///   with `userActivityRemoteApplicationTimedOut` if the delegate does not answer.
    public func continueOffer(
        _ offer: LoopbackOffer, timeout: Duration = .seconds(60)
    ) async throws -> LoopbackContinuation {
        guard let activity = loopback.apps.compactMap({ $0.activity(offer.identity) }).first else {
            throw CocoaError(.userActivityConnectionUnavailable)
        }
        let fetched = try await first(within: timeout) { await activity.saved() }
        guard !activity.isInvalidated else { throw CocoaError(.userActivityHandoffFailed) }
        return LoopbackContinuation(state: try activity.outgoing(fetched).validated(), from: activity, to: self)
    }

    private var offer: LoopbackOffer? {
        guard let activity = state.withLock({ $0.current }), activity.isCurrent, activity.isEligibleForHandoff,
            activity.expirationDate.map({ $0 > Date() }) ?? true
        else { return nil }
        return LoopbackOffer(
            app: name, activityType: activity.activityType, title: activity.title, identity: activity.identity)
    }

    private func activity(_ identity: UserActivity.Identity) -> UserActivity? {
        guard offer?.identity == identity else { return nil }
        return state.withLock { $0.current }
    }

    private func wait(until condition: @escaping @Sendable ([LoopbackOffer]) -> Bool) async {
        let key = UserActivity.Identity()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting[key] = Wait(isOver: condition, continuation: continuation) }
                if Task.isCancelled { end(key) } else { lookAgain() }
            }
        } onCancel: {
            end(key)
        }
    }

    private func end(_ wait: UserActivity.Identity) {
        state.withLock { $0.waiting.removeValue(forKey: wait) }?.continuation.resume()
    }

    func lookAgain() {
        let offers = offers
        let over = state.withLock { state in state.waiting.filter { $0.value.isOver(offers) }.keys }
        for wait in over { end(wait) }
    }

    /// Returns the closure's result, or throws after a timeout.
    ///
    /// After a timeout the closure still runs to its end, but its result is dropped.
    private func first(
        within timeout: Duration, _ body: @escaping @Sendable () async -> ActivityState
    ) async throws -> ActivityState {
        let (results, sink) = AsyncStream.makeStream(of: ActivityState?.self)
        Task { sink.yield(await body()) }
        let alarm = Task {
            try await Task.sleep(for: timeout)
            sink.yield(nil)
        }
        defer { alarm.cancel() }
        for await result in results {
            guard let result else { break }
            return result
        }
        throw CocoaError(.userActivityRemoteApplicationTimedOut)
    }
}

/// Requests from activities to their host.
extension LoopbackApp {
    /// Offers the activity to the other apps.
    public func activityBecameCurrent(_ activity: UserActivity) {
        state.withLock {
            // Check again, because another thread may have made another activity current.
            guard activity.isCurrent else { return }
            $0.current = activity
            $0.currentIdentity = activity.identity
        }
        loopback.offersChanged()
    }

    /// Stops offering the activity.
    public func activityResignedCurrent(_ activity: UserActivity) { forget(activity.identity) }
    /// Lets the other apps see the new title.
    public func activityChanged(_ activity: UserActivity) { loopback.offersChanged() }
    /// Stops offering the activity.
    public func activityInvalidated(_ activity: UserActivity) { forget(activity.identity) }
    /// Stops offering the activity.
    public func activityReleased(_ identity: UserActivity.Identity) { forget(identity) }
    /// Adds the warning to ``warnings``.
    public func activityWarning(_ text: String) { state.withLock { $0.warnings.append(text) } }

    private func forget(_ identity: UserActivity.Identity) {
        state.withLock { state in
            guard state.currentIdentity == identity else { return }
            state.current = nil
            state.currentIdentity = nil
        }
        loopback.offersChanged()
    }
}
