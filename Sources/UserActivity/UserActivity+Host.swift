// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a host calls.
extension UserActivity {
    /// The state as it is, without asking the delegate.
    public var currentState: ActivityState { read(\.state) }

    /// The state as another device should get it: when ``needsSave`` is true asks first the
    /// delegate, on this thread, and before it, on the main thread, the responders that have the
    /// activity.
    ///
    /// - Returns: The state after `userActivityWillSave`.
    public func savedState() -> ActivityState {
        let deletions = StoreQueue.deletions
        guard let asked = beginSaving() else { return endSaving(deletions) }
        ask(Thread.isMainThread ? asked.manager : nil, asked.delegate)
        return endSaving(deletions)
    }

    /// The state as another device should get it, asking the responders on the main actor and the
    /// delegate where the host's callbacks belong. Two that ask at once are served one after the
    /// other.
    ///
    /// - Returns: The state after `userActivityWillSave`.
    public func saved() async -> ActivityState { await saved(StoreQueue.deletions) }

    /// The same for a save that was asked for after so many deletions from stores: it is kept
    /// unless there have been more.
    func saved(_ deletions: Int) async -> ActivityState {
        await afterOtherCalls { await self.saveNow(deletions) }
    }

    /// Calls the app when all that was asked of it for this activity before is over.
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

    /// A state of this activity as it travels: streams that nobody here would take are not offered.
    public func outgoing(_ state: ActivityState) -> ActivityState {
        var state = state
        if delegate == nil { state.supportsContinuationStreams = false }
        return state
    }

    private func saveNow(_ deletions: Int) async -> ActivityState {
        guard let asked = beginSaving() else { return endSaving(deletions) }
        // The save ends where the last callback ran, so that what the app changes there afterwards
        // is not taken for saved.
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

    /// Asks the app on this thread; a change that another thread announces after the first question
    /// may come too late for it.
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

    /// Hands streams to the delegate: the descriptor if it takes that, else Foundation's objects.
    ///
    /// - Parameters:
    ///   - streams: The streams, which become the delegate's.
    ///   - pair: Makes Foundation's objects of them.
    /// - Returns: Whether there was a delegate; if not, the streams are still the caller's.
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

    /// Has the app asked for what a search finds, where no other device asks for it.
    func saveForSearch() {
        let isForSearchOnly = withLock { stored in
            stored.attributes.isEligibleForSearch && !stored.attributes.isEligibleForHandoff && !stored.isInvalid
        }
        guard isForSearchOnly, isCurrent else { return }
        Task { [deletions = StoreQueue.deletions] in _ = await saved(deletions) }
    }

    /// Has the store follow a change of what it keeps of the current activity.
    func changedForSearch() {
        if isCurrent { keep() }
        saveForSearch()
    }

    var delivery: CallbackDelivery { host?.callbackDelivery ?? .immediate }
}
