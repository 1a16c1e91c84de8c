// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
import BatonProtocol
import BatonTransport
import FoundationEssentials

/// What this device's apps publish.
extension HandoffService {
    /// How long an app may take to bring its state up to date when another device asks.
    static let saveTimeout = Duration.seconds(5)

    /// Takes an activity in; it is not current yet.
    ///
    /// - Parameters:
    ///   - application: the app's id, where it is known.
    ///   - account: with whom the client shares what one program may publish; nil for the client
    ///     alone.
    ///   - needsSave: whether the app wants to be asked before its state travels.
    /// - Returns: the activity's id.
    public func publish(
        _ state: ActivityState, team: String, application: String? = nil, account: String? = nil, needsSave: Bool,
        client: ClientID
    ) throws -> String {
        try checkSize(of: state)
        let entry = try registry.publish(
            state, team: team, application: application, account: account, needsSave: needsSave,
            origin: origin(of: state.activityType, by: client), by: client)
        warn(about: state, activity: entry.id, client: client)
        return entry.id
    }

    /// All that programs publish now.
    public func publishedActivities() -> [PublishedActivity] {
        registry.all.map { .init(id: $0.id, client: $0.client, team: $0.team, type: $0.state.activityType) }
    }

    /// Changes an activity's state.
    ///
    /// - Parameters:
    ///   - needsSave: whether the app has yet more to say; nil leaves that.
    ///   - change: the new state from the old; the type must stay.
    public func update(
        _ activity: String, needsSave: Bool?, client: ClientID, change: @Sendable (ActivityState) -> ActivityState
    ) async throws {
        let entry = try registry.entry(activity, of: client)
        let state = change(entry.state)
        let needsSave = needsSave ?? entry.needsSave
        do {
            try checkSize(of: state)
            try registry.update(activity, of: client, to: state, needsSave: needsSave)
        } catch {
            // Who waits for the app's contents is to learn why there are none.
            saves.refused(
                activity, (error as? ServiceError)?.code == .userInfoTooLarge ? Self.tooLarge : Self.unsendable)
            throw error
        }
        saves.taken(activity)
        adoptOrigin(activity, client: client)
        warn(about: state, activity: activity, client: client)
        if !needsSave { saves.ended(activity) }
        await advertisedChanged()
    }

    /// An app's new state could not even be read: who waits for its contents learns that there are
    /// none.
    public func updateUnreadable(_ activity: String, isTooLarge: Bool, client: ClientID) {
        guard (try? registry.entry(activity, of: client)) != nil else { return }
        saves.refused(activity, isTooLarge ? Self.tooLarge : Self.unsendable)
    }

    /// Makes an activity its app's current one, and this device's.
    public func becomeCurrent(_ activity: String, client: ClientID) async throws {
        try registry.becomeCurrent(activity, of: client)
        adoptOrigin(activity, client: client)
        await advertisedChanged()
    }

    /// Takes an activity back; it stays known.
    public func resignCurrent(_ activity: String, client: ClientID) async throws {
        try registry.resignCurrent(activity, of: client)
        await advertisedChanged()
    }

    /// Ends an activity.
    public func invalidate(_ activity: String, client: ClientID) async throws {
        try registry.invalidate(activity, of: client)
        saves.forget(activity)
        await advertisedChanged()
    }

    /// A program left the bus: its activities and continuations end. Its streams end as its
    /// descriptors close, and lose nothing; those that it has not taken end now.
    public func clientLeft(_ client: ClientID) async {
        let own = registry.all.filter { $0.client == client }.map(\.id)
        registry.clientLeft(client)
        for activity in own { saves.forget(activity) }
        for unreported in continuations.clientLeft(client) {
            await unreported.link.report(unreported.request, accepted: false)
        }
        streams.giveUpUntaken(of: client)
        if let pairing, pairing.client == client { happened(.abandoned, toPairing: pairing.id) }
        await codeAbandoned(by: client)
        await advertisedChanged()
    }

    /// Asks an app for its fresh state, when it has more to say; returns once it has said it, or
    /// has gone.
    ///
    /// - Throws: ``HandoffError/Code/remoteApplicationTimedOut``.
    func save(_ entry: ActivityRegistry.Entry) async throws {
        guard entry.needsSave else { return }
        let waiters = saves.waiters(for: entry.id)
        tellClient(.willSave(activity: entry.id, client: entry.client))
        try await waiters.value(until: clock.uptime + Self.saveTimeout, clock, late: Self.saveLate)
    }

    private static let saveLate = HandoffError(
        .remoteApplicationTimedOut, "the app on the other device did not answer in time")
    static let tooLarge = HandoffError(.userInfoTooLarge, "the activity's contents are too large to be handed over")
    static let unsendable = HandoffError(.invalidActivity, "the activity has contents that cannot be handed over")

    private func checkSize(of state: ActivityState) throws {
        do {
            try ActivityStateCoding.check(state)
        } catch {
            throw ServiceError(error)
        }
    }

    /// 3 KB is what travels at once on any radio; more works, and takes longer.
    private func warn(about state: ActivityState, activity: String, client: ClientID) {
        guard let size = try? ActivityStateCoding.check(state), size > UserInfoCoding.advisedSize else { return }
        tellClient(
            .warning(
                activity: activity, client: client,
                text:
                    "userInfo has \(size) bytes; above \(UserInfoCoding.advisedSize) a hand-over takes noticeably longer"
            ))
    }
}
