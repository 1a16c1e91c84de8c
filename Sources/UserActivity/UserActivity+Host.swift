// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The functions that a host calls.
extension UserActivity {
    /// The present state, without asking the delegate for changes.
    public var currentState: ActivityState { read(\.state) }

    /// Returns the state for another device, after asking the app for changes on this thread.
    ///
    /// If ``needsSave`` is true, this asks the responders that share the activity, then the
    /// delegate. The responders are asked only if this is the main thread.
    ///
    /// - Returns: The state after `userActivityWillSave`.
    public func savedState() -> ActivityState {
        let deletions = StoreQueue.deletions
        guard let asked = beginSaving() else { return endSaving(deletions) }
        ask(Thread.isMainThread ? asked.manager : nil, asked.delegate)
        return endSaving(deletions)
    }

    /// Returns the state to send to another device, after asking the app for changes.
    ///
    /// Asks the responders on the main actor, and the delegate where the host's callbacks run. Two
    /// callers at the same time are served one after the other.
    ///
    /// - Returns: The state after `userActivityWillSave`.
    public func saved() async -> ActivityState { await saved(StoreQueue.deletions) }

    /// Returns the state as `saved()` does, and stores it unless a deletion has happened since.
    ///
    /// - Parameter deletions: The number of deletions when the caller asked for the save.
    func saved(_ deletions: Int) async -> ActivityState {
        await afterOtherCalls { await self.saveNow(deletions) }
    }

    /// Calls the app after all earlier calls for this activity have ended.
    private func afterOtherCalls<Result: Sendable>(_ call: @escaping @Sendable () async -> Result) async -> Result {
        let task = withLock { stored in
            let task = Task { [before = stored.lastCall] in
                await before?.value
                return await call()
            }
            stored.lastCall = Task { _ = await task.value }
            return task
        }
        return await task.value
    }

    /// Returns a state that offers streams only if a delegate can receive them.
    public func outgoing(_ state: ActivityState) -> ActivityState {
        var state = state
        if delegate == nil { state.supportsContinuationStreams = false }
        return state
    }

    private func saveNow(_ deletions: Int) async -> ActivityState {
        guard let asked = beginSaving() else { return endSaving(deletions) }
        // End the save in the place where the last callback ran. Otherwise a change that the app
        // makes there right afterwards would count as saved.
        if let manager = asked.manager {
            if delivery.isOnMainThread || asked.delegate == nil {
                return await (delivery.isOnMainThread ? delivery : .mainActor).result {
                    self.ask(manager, self.delegate)
                    return self.endSaving(deletions)
                }
            }
            await CallbackDelivery.mainActor.result { self.ask(manager, nil) }
        }
        guard asked.delegate != nil else { return endSaving(deletions) }
        let isFirst = asked.manager == nil
        return await delivery.result {
            self.ask(nil, self.delegate, isFirst: isFirst)
            return self.endSaving(deletions)
        }
    }

    private func beginSaving() -> (manager: (any UserActivityManager)?, delegate: (any UserActivityDelegate)?)? {
        withLock { stored in
            stored.isSaving = true
            defer { stored.needsSave = false }
            return stored.needsSave ? (stored.manager, stored.delegate) : nil
        }
    }

    /// Asks the app for changes on this thread.
    ///
    /// If another thread changes the activity after the app was first asked, that change may miss
    /// this save.
    private func ask(
        _ manager: (any UserActivityManager)?, _ delegate: (any UserActivityDelegate)?, isFirst: Bool = true
    ) {
        withLock { stored in
            if isFirst { stored.needsSave = false }
            stored.askedThread = ObjectIdentifier(Thread.current)
        }
        manager?.save(self)
        delegate?.userActivityWillSave(self)
        withLock { $0.askedThread = nil }
    }

    private func endSaving(_ deletions: Int) -> ActivityState {
        defer { keep(unlessDeletedSince: deletions) }
        return withLock { stored in
            stored.isSaving = false
            stored.endUpdate()
            return stored.state
        }
    }

    /// Tells the delegate that another device has continued the activity.
    public func wasContinued() async {
        await afterOtherCalls { await self.delivery.result { self.delegate?.userActivityWasContinued(self) } }
    }

    /// Gives a pair of streams to the delegate.
    ///
    /// The delegate gets the file descriptor if it takes one, and otherwise Foundation objects.
    ///
    /// - Parameters:
    ///   - streams: The streams. The delegate then owns them.
    ///   - pair: Called to make Foundation objects of the streams.
    /// - Returns: Whether there was a delegate. If not, the caller still owns the streams.
    public func receive(
        _ streams: ContinuationStreams, pair: @escaping @Sendable (ContinuationStreams) -> ContinuationPair
    ) async -> Bool {
        await afterOtherCalls {
            await self.delivery.result {
                guard let delegate = self.delegate else { return false }
                if !delegate.userActivity(self, didReceive: streams) {
                    let pair = pair(streams)
                    delegate.userActivity(self, didReceive: pair.input, outputStream: pair.output)
                }
                return true
            }
        }
    }

    /// Asks the app to fill an activity for a search, if no other device will ask for it.
    func saveForSearch() {
        let isForSearchOnly = withLock { stored in
            stored.attributes.isEligibleForSearch && !stored.attributes.isEligibleForHandoff && !stored.isInvalid
        }
        guard isForSearchOnly, isCurrent else { return }
        Task { [deletions = StoreQueue.deletions] in _ = await saved(deletions) }
    }

    /// Updates the store after a change of a searchable property of the current activity.
    func changedForSearch() {
        if isCurrent { keep() }
        saveForSearch()
    }

    var delivery: CallbackDelivery { host?.callbackDelivery ?? .immediate }
}
