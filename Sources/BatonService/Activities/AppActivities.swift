// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import Diagnosis
import FoundationEssentials

/// The activities that this device's apps publish and continue, and which of them other devices may
/// have.
///
/// The events that are returned are for the programs that publish the activities.
struct AppActivities: Sendable {
    typealias Entry = ActivityRegistry.Entry
    typealias WhyHidden = @Sendable (_ type: String, _ application: String?) -> Reason?

    private(set) var registry: ActivityRegistry
    var lineage = Lineage()
    var saves = SaveRequests()
    var saveTurns = SaveTurns()
    var unreported = UnreportedContinuations()
    /// The kinds of activities that apps continue, whether they run or not.
    private(set) var declared: Set<ActivityKind> = []
    /// Whether any of the activities may be advertised. False while the user is away, Baton is
    /// paused, or the laptop is about to sleep.
    private(set) var mayAdvertise = true
    private var whyHidden: WhyHidden = { _, _ in nil }

    init(registry: ActivityRegistry) { self.registry = registry }

    /// The number of entries in each table, by name.
    var counts: [String: Int] {
        [
            "activities": registry.all.count, "refusals": saves.refusalCount, "savesAwaited": saves.count,
            "saveTurnsAwaited": saveTurns.count, "unreportedContinuations": unreported.count,
            "lineage": lineage.count,
        ]
    }

    /// The limit on kinds of activities that apps continue.
    static let maximumDeclaredKinds = 512

    /// The kinds of activities that this device's apps publish and continue.
    var kinds: Set<ActivityKind> {
        declared.union(registry.all.map { ActivityKind(team: $0.team, type: $0.state.activityType) })
    }

    /// Replaces the kinds of activities that apps continue.
    mutating func declare(_ kinds: Set<ActivityKind>) {
        declared = Set(kinds.sorted { ($0.type, $0.team) < ($1.type, $1.team) }.prefix(Self.maximumDeclaredKinds))
    }

    // MARK: - What is advertised

    /// Returns the activity to offer to other devices; nil for none.
    func advertised(at unixTime: Int64) -> Entry? { registry.advertised(at: unixTime, where: isShown) }

    /// Returns whether the user lets other devices have an activity now.
    func isShown(_ entry: Entry) -> Bool { mayAdvertise && reasonToHide(entry) == nil }

    private func reasonToHide(_ entry: Entry) -> Reason? { whyHidden(entry.state.activityType, entry.application) }

    /// Sets which activities may be advertised.
    ///
    /// - Returns: A warning for each app whose activity is hidden or no longer hidden.
    mutating func advertise(_ mayAdvertise: Bool, hidden whyHidden: @escaping WhyHidden) -> [ClientEvent] {
        let hidden = Set(registry.all.filter { reasonToHide($0) != nil }.map(\.id))
        (self.mayAdvertise, self.whyHidden) = (mayAdvertise, whyHidden)
        return registry.all.flatMap { entry in
            guard hidden.contains(entry.id) else { return hiddenWarning(entry) }
            return reasonToHide(entry) == nil ? [warning(entry, Reason(.unhidden))] : []
        }
    }

    /// Records which activity is advertised now.
    ///
    /// - Returns: Whether it is another activity than before, and news for apps whose activities
    ///   have lost or regained their place.
    mutating func advertises(_ entry: Entry?) -> (isNew: Bool, events: [ClientEvent]) {
        let isNew = registry.advertises(entry?.id)
        let events = registry.placesChanged(advertised: entry?.id).map { change in
            ClientEvent.currentChanged(
                activity: change.entry.id, client: change.entry.client, isCurrent: change.isCurrent)
        }
        return (isNew, events)
    }

    // MARK: - What apps publish

    /// Publishes an activity.
    ///
    /// - Parameter pending: The program's continuations that it has not accepted yet.
    mutating func publish(
        _ state: ActivityState, team: String, application: String?, speaker: ClientID?, account: String?,
        isBackground: Bool, needsSave: Bool, by client: ClientID, pending: some Collection<String>,
        at uptime: Duration
    ) throws -> (id: String, events: [ClientEvent]) {
        let origin = lineage.origin(ofType: state.activityType, by: client, pending: pending, at: uptime)
        let entry = try registry.publish(
            state, team: team, application: application, speaker: speaker, account: account,
            isBackground: isBackground, needsSave: needsSave, origin: origin, by: client)
        return (entry.id, sizeWarning(entry) + hiddenWarning(entry))
    }

    /// Changes an activity's state, and answers the devices that wait for it.
    ///
    /// - Parameters:
    ///   - needsSave: Whether the app has more changes to save; nil for no change.
    ///   - pending: The program's continuations that it has not accepted yet.
    mutating func update(
        _ id: String, of client: ClientID, needsSave: Bool?, pending: some Collection<String>, at uptime: Duration,
        change: (ActivityState) -> ActivityState
    ) throws -> [ClientEvent] {
        let before = try registry.entry(id, of: client)
        let entry: Entry
        do {
            entry = try registry.update(
                id, of: client, to: change(before.state), needsSave: needsSave ?? before.needsSave)
        } catch {
            // Tell the devices that wait for the app's contents why the contents cannot be sent.
            refuse(id, isTooLarge: (error as? BatonError)?.code == .userInfoTooLarge)
            throw error
        }
        saves.taken(id)
        adoptOrigin(entry, pending, at: uptime)
        if !entry.needsSave { saves.ended(id) }
        return sizeWarning(entry)
    }

    /// Refuses an app's new state that could not be sent, or not even be read. The devices that
    /// wait for it get an error.
    mutating func refuse(_ id: String, isTooLarge: Bool) {
        saves.refused(
            id,
            isTooLarge
                ? HandoffError(.userInfoTooLarge, .contentsTooLarge)
                : HandoffError(.invalidActivity, .contentsUnsendable))
    }

    mutating func becomeCurrent(
        _ id: String, of client: ClientID, pending: some Collection<String>, at now: BeaconAdvertiser.Moment
    ) throws -> [ClientEvent] {
        try registry.becomeCurrent(id, of: client)
        let entry = try registry.entry(id, of: client)
        adoptOrigin(entry, pending, at: now.uptime)
        guard let end = entry.state.expirationDate, end.timeIntervalSince1970 <= Double(now.unixTime) else { return [] }
        return [warning(entry, Reason(.expired))]
    }

    mutating func resignCurrent(_ id: String, of client: ClientID) throws {
        try registry.resignCurrent(id, of: client)
    }

    /// Ends an activity.
    mutating func end(_ id: String, of client: ClientID) throws {
        try registry.invalidate(id, of: client)
        saves.forget(id)
    }

    /// Ends the activities of a program that has left the bus.
    mutating func clientLeft(_ client: ClientID) {
        let own = registry.all.filter { $0.client == client }.map(\.id)
        registry.clientLeft(client)
        for activity in own { saves.forget(activity) }
    }

    /// Records that another device continues an activity.
    ///
    /// - Returns: The activity, or nil if none has this instance.
    mutating func continued(_ instance: [UInt8], reachableUntil uptime: Duration) -> Entry? {
        registry.continued(instance, reachableUntil: uptime)
    }

    // MARK: - Where activities come from

    /// Returns whether this device gave an offer's activity away or has it open.
    func isFromHere(_ offer: Offer) -> Bool { lineage.hasGiven(offer) || lineage.taken(offer).map(isOpen) ?? false }

    /// Returns whether this device gave an activity away or has it open.
    func isFromHere(origin: [UInt8]) -> Bool { lineage.hasGiven(origin) || isOpen(origin) }

    private func isOpen(_ origin: [UInt8]) -> Bool { registry.all.contains { $0.origin == origin } }

    /// Gives an activity the origin of the activity that its app took over. Some apps keep one
    /// activity for all their contents, and publish no new activity when they continue one.
    private mutating func adoptOrigin(_ entry: Entry, _ pending: some Collection<String>, at uptime: Duration) {
        let type = entry.state.activityType
        guard let origin = lineage.origin(ofType: type, by: entry.client, pending: pending, at: uptime) else { return }
        registry.adopt(origin, for: entry.id, of: entry.client)
    }

    // MARK: - Warnings

    /// Warns an app that no other device will show its activity, usually because of the user's own
    /// rule.
    private func hiddenWarning(_ entry: Entry) -> [ClientEvent] {
        reasonToHide(entry).map { [warning(entry, $0)] } ?? []
    }

    /// Warns an app whose userInfo has more than 3 KB. Up to 3 KB are sent quickly over any radio.
    /// A larger userInfo takes noticeably longer.
    private func sizeWarning(_ entry: Entry) -> [ClientEvent] {
        let (size, advised) = (entry.encoded.userInfoSize, UserInfoCoding.advisedSize)
        guard size > advised else { return [] }
        return [warning(entry, Reason(.contentsSlow, ["size": .count(size), "limit": .count(advised)]))]
    }

    private func warning(_ entry: Entry, _ reason: Reason) -> ClientEvent {
        .warning(activity: entry.id, client: entry.client, reason)
    }
}
