// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus

/// Retries calls that the daemon rejected for a temporary reason.
///
/// The daemon is full, is called too often, or does not answer. It then still offers the activity's
/// former state. A retry sends the present state, which may differ from the rejected one.
extension DaemonConnection {
    /// The pause before a retry.
    static let patience = Duration.seconds(1)

    /// Schedules a retry with the activity's state at that time.
    ///
    /// Nothing waits for the retry, and it does not keep the activity alive.
    func catchUpLater(_ activity: ActivityIdentity, after error: BatonError) {
        guard publications[activity]?.isBehind == false else { return }
        publications[activity]?.isBehind = true
        observers.send(.warning(error.message), of: activity)
        wait(for: activity)
    }

    private func wait(for activity: ActivityIdentity) {
        Task {
            try? await Task.sleep(for: Self.patience)
            enqueue(activity) { await $0.catchUp(activity) }
        }
    }

    private func catchUp(_ key: ActivityIdentity) async {
        // A daemon that starts again receives all activities anyway.
        guard let activity = publications[key]?.activity, !isDaemonGone else {
            publications[key]?.isBehind = false
            return
        }
        do {
            try await tell(activity)
            publications[key]?.isBehind = false
        } catch {
            let error = BatonError(anyError: error)
            publications[key]?.isBehind = error.mayPass
            if error.mayPass { wait(for: key) } else { fail(key, with: error) }
        }
    }

    /// Sends the present contents of an activity, and whether it is offered.
    private func tell(_ activity: any PublishedActivity) async throws {
        guard let identifier = publications[activity.identity]?.identifier else {
            return try await becomeCurrent(activity)
        }
        var refusal: BatonError?
        do {
            let state = outgoing(activity.currentState, of: activity)
            try await bus.update(
                activity: identifier, properties: ActivityProperties(state, needsSave: activity.needsSave))
        } catch let error as BatonError where error.isAboutTheContents || error.code == .limitReached {
            refusal = error
        }
        switch (activity.isOfferedNow, publications[activity.identity]?.isOffered) {
        case (true, false): try await makeCurrent(activity, as: identifier)
        case (false, true): try await resign(activity, as: identifier)
        default: break
        }
        if let refusal { throw refusal }
    }

    /// Ends an activity at the daemon, with retries. If the daemon ends, so do all its activities.
    func retire(_ identifier: String) async {
        while !isDaemonGone {
            do {
                return try await bus.invalidate(activity: identifier)
            } catch {
                guard BatonError(anyError: error).mayPass, (try? await Task.sleep(for: Self.patience)) != nil else {
                    return
                }
            }
        }
    }
}
