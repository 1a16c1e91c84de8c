// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
import BatonProtocol
import BatonTransport
import Diagnosis
import TraceModel

/// Activities that this device's apps publish.
extension HandoffService {
    /// How long an app may take to update its state when another device asks for it.
    static let saveTimeout = Duration.seconds(5)

    /// Publishes an activity, which is not current yet.
    ///
    /// - Parameters:
    ///   - application: The app's id, if it is known.
    ///   - speaker: The bus connection of the program that the client, an adapter, speaks for; nil
    ///     for none. The activity ends when that program leaves, or when the adapter may no longer
    ///     speak for it.
    ///   - account: The account whose limits for one program the client shares; nil for limits of
    ///     its own.
    ///   - isBackground: Whether the activity is offered only while no activity outside the
    ///     background is current.
    ///   - needsSave: Whether the app wants to be asked for its state before a hand-over.
    /// - Returns: The activity's id.
    public func publish(
        _ state: ActivityState, team: String, application: String? = nil, speaker: ClientID? = nil,
        account: String? = nil, isBackground: Bool = false, needsSave: Bool, client: ClientID
    ) throws -> String {
        let published = try apps.publish(
            state, team: team, application: application, speaker: speaker, account: account,
            isBackground: isBackground, needsSave: needsSave, by: client, pending: continuations.pending(of: client),
            at: clock.uptime)
        tell(published.events)
        return published.id
    }

    /// Returns all activities that programs publish now.
    public func publishedActivities() -> [ActivitySummary] {
        apps.registry.all.map { .init(id: $0.id, client: $0.client, team: $0.team, type: $0.state.activityType) }
    }

    /// Changes an activity's state.
    ///
    /// - Parameters:
    ///   - needsSave: Whether the app has more changes to save; nil for no change.
    ///   - change: Called to make the new state from the old one. The type must stay the same.
    public func update(
        _ activity: String, needsSave: Bool?, client: ClientID, change: @Sendable (ActivityState) -> ActivityState
    ) async throws {
        tell(
            try apps.update(
                activity, of: client, needsSave: needsSave, pending: continuations.pending(of: client),
                at: clock.uptime, change: change))
        await airing { advertisedChanged() }
    }

    /// Handles an app's new state that could not even be read. The devices that wait for it get an
    /// error.
    public func updateUnreadable(_ activity: String, isTooLarge: Bool, client: ClientID) {
        guard (try? apps.registry.entry(activity, of: client)) != nil else { return }
        apps.refuse(activity, isTooLarge: isTooLarge)
    }

    /// Makes an activity its app's current one. An activity that is not a background activity also
    /// becomes this device's current one.
    public func becomeCurrent(_ activity: String, client: ClientID) async throws {
        tell(try apps.becomeCurrent(activity, of: client, pending: continuations.pending(of: client), at: moment))
        await airing { advertisedChanged() }
    }

    /// Makes an activity no longer current. The activity stays published.
    public func resignCurrent(_ activity: String, client: ClientID) async throws {
        try apps.resignCurrent(activity, of: client)
        await airing { advertisedChanged() }
    }

    /// Ends an activity.
    public func invalidate(_ activity: String, client: ClientID) async throws {
        try await airing { try end(activity, client: client) }
    }

    private func end(_ activity: String, client: ClientID) throws {
        try apps.end(activity, of: client)
        advertisedChanged()
    }

    /// Ends the activities and continuations of a program that has left the bus. Streams that the
    /// program has taken end without loss when its file descriptors close. Streams that it has not
    /// taken end now.
    public func clientLeft(_ client: ClientID) {
        apps.clientLeft(client)
        for unreported in continuations.clientLeft(client) {
            unreported.link.report(unreported.request, accepted: false)
        }
        streams.giveUpUntaken(of: client)
        streams.unfollow(client)
        lookForPairing(false, client: client)
        if let run = pairings.run, run.client == client { happened(.abandoned, toPairing: run.id) }
        codeAbandoned(by: client)
        advertisedChanged()
    }

    /// Ends the activities that adapters published for a program that has left the bus.
    public func speakerLeft(_ speaker: ClientID) {
        for entry in apps.registry.all.filter({ $0.speaker == speaker }) {
            end(entry, because: Reason(.programGone))
        }
    }

    /// Checks that an activity's adapter may still speak for its program. If not, ends the
    /// activity.
    ///
    /// - Throws: ``HandoffError`` when the activity has ended.
    func checkSpeaker(of entry: ActivityRegistry.Entry) async throws(HandoffError) {
        guard let speaker = entry.speaker, let reason = await environment.whyRefused(speaker, entry.application)
        else { return }
        end(entry, because: reason)
        throw Self.ended
    }

    /// Ends an activity, and informs the program that published it.
    private func end(_ entry: ActivityRegistry.Entry, because reason: Reason) {
        // Do nothing if the activity has already ended.
        guard (try? end(entry.id, client: entry.client)) != nil else { return }
        tellClient(.ended(activity: entry.id, client: entry.client, reason: reason))
    }

    static let ended = HandoffError(.noSuchActivity, .activityEnded)

    /// Asks an app that has unsaved changes to save its state for another device. Returns when the
    /// app has answered or has left. A device whose turn has not come waits (``SaveTurns``).
    ///
    /// - Throws: ``HandoffError/Code/remoteApplicationTimedOut``, ``HandoffError/Code/busy``, and
    ///   ``HandoffError/Code/noSuchActivity`` when the service stops, because the other device
    ///   would get contents without the latest changes.
    func save(_ entry: ActivityRegistry.Entry, for device: DeviceID) async throws {
        let arrival = apps.saves.arrive()
        while let fresh = apps.registry.entry(instance: entry.instance), fresh.needsSave {
            guard !lifecycle.isStopping else { throw Self.ended }
            if let save = apps.saves.save(of: fresh.id, after: arrival) { return try await end(of: save, fresh) }
            if let older = apps.saves.current(of: fresh.id) {
                // Wait for the older save first. That save may miss the latest changes, so ask
                // again if the app still has newer contents afterwards.
                try? await end(of: older, fresh)
            } else if let turn = try apps.saveTurns.turn(of: account(of: device), at: clock.uptime) {
                try? await turn.waiters.value(until: turn.end, clock, late: Self.saveLate)
            } else {
                apps.saveTurns.take(by: account(of: device), at: clock.uptime)
                // Begin the save before the event, because observers may measure the time from the
                // event.
                let save = apps.saves.begin(fresh.id, until: clock.uptime + Self.saveTimeout)
                tellClient(.willSave(activity: fresh.id, client: fresh.client))
                return try await trace.spanning(.handover, "save", [.type(fresh.state.activityType)]) {
                    try await end(of: save, fresh)
                }
            }
        }
    }

    private func end(of save: SaveRequests.Save, _ entry: ActivityRegistry.Entry) async throws {
        do {
            try await save.waiters.value(until: save.deadline, clock, late: Self.saveLate)
        } catch {
            if clock.uptime >= save.deadline { apps.saves.late(save, of: entry.id, Self.saveLate) }
            throw error
        }
    }

    private static let saveLate = HandoffError(.remoteApplicationTimedOut, .laptopAppSilent)

    func tell(_ events: [ClientEvent]) { for event in events { tellClient(event) } }
}
