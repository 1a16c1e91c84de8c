// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonDesktop
import BatonProtocol
import BatonService
import DBus
import Diagnosis
import Synchronization

final class ServiceDesktopHost: DesktopHost {
    private let service: HandoffService
    /// The daemon's own id as a client of the service.
    private let own: ClientID
    private let callers: Callers
    private let policy: CallerPermissions
    private let told = Mutex(WeakEndpoint())

    /// A weak reference, because the endpoint retains the desktop and so this host.
    private struct WeakEndpoint: Sendable { weak var endpoint: BatonBusService? }

    init(service: HandoffService, bus: DBusConnection, callers: Callers, policy: CallerPermissions) {
        self.service = service
        self.callers = callers
        self.policy = policy
        own = ClientID(rawValue: bus.uniqueName)
    }

    /// The endpoint that sends the changes, while it exists.
    var endpoint: BatonBusService? {
        get { told.withLock { $0.endpoint } }
        set { told.withLock { $0.endpoint = newValue } }
    }

    func stop(_ device: String) async throws { _ = try await service.stopDevice(device) }

    func members() async -> [CircleMember] { await service.status().members }

    func attend(_ attendance: Attendance, needsSignals: Bool) async {
        await service.attend(attendance, needsSignals: needsSignals)
    }

    func useLocalNetworks(_ use: LanUse, tellsTitles: Bool, isLocked: Bool) async {
        await service.useLocalNetworks(use, tellsTitles: tellsTitles, isLocked: isLocked)
    }

    func activity(of offer: String) async -> OfferedActivity? { await service.activity(of: offer) }

    func reach(_ offer: String, near signal: Int) async throws {
        try await service.reach(offer, near: signal)
    }

    func fetch(_ offer: String, timeout: Duration?, near signal: Int?) async throws -> ContinuedActivity {
        try await service.continueOffer(offer, timeout: timeout, client: own, near: signal)
    }

    func give(_ continuation: String, of offer: OfferSummary, to app: ClientID) async throws {
        guard let type = offer.type, let team = offer.team else { throw try await refusal(of: app) }
        try await check(type: type, team: team, for: app)
        try await service.transfer(continuation, from: own, to: app, account: try await callers.caller(app).account)
    }

    func givePage(
        _ continuation: String, to app: ClientID, called identifier: String, of team: String
    ) async throws {
        let caller = try await callers.caller(app)
        guard !caller.isSandboxed || caller.applicationID == identifier else { throw try await refusal(of: app) }
        // A sandboxed app needs the user's grant for the team.
        _ = try policy.team(claimed: team, by: caller)
        try await service.transfer(continuation, from: own, to: app, account: caller.account)
    }

    func accept(_ continuation: String, by app: ClientID?, accepted: Bool) async {
        // Ignore errors, because the continuation may have ended already.
        try? await service.accept(continuation, accepted: accepted, client: app ?? own)
    }

    func check(type: String, team: String, for app: ClientID) async throws {
        // Check the program itself, not the desktop entry, because a sandboxed program may have
        // taken the name.
        guard policy.permits(type: type, team: team, to: try await callers.caller(app)) else {
            throw try await refusal(of: app)
        }
    }

    private func refusal(of app: ClientID) async throws -> BatonError {
        guard let id = try await callers.caller(app).applicationID else {
            return BatonError(.notAllowed, .sandboxUnnamed)
        }
        return BatonError(.notAllowed, .appSandboxed, ["app": .text(id)])
    }

    func endWhatIsNotPermitted() async {
        for activity in await service.publishedActivities() {
            let client = activity.client
            // If the caller cannot be identified, it has left, and its activities have ended.
            guard let caller = try? await callers.caller(client),
                !policy.permits(type: activity.type, team: activity.team, to: caller),
                (try? await service.invalidate(activity.id, client: activity.client)) != nil
            else { continue }
            let reason = BusFront.words(Reason(.typeTakenBack, ["type": .text(activity.type)]))
            endpoint?.send(.ended(activity: activity.id, reason: reason), to: client)
        }
    }

    func declare(_ kinds: [String: Set<String>]) async {
        await service.declare(Set(kinds.flatMap { team, types in types.map { ActivityKind(team: team, type: $0) } }))
    }

    func advertise(
        _ isWanted: Bool, hidden whyHidden: @escaping @Sendable (_ type: String, _ app: String?) -> Reason?
    ) async {
        await service.advertise(isWanted, hidden: whyHidden)
    }

    func tellChanged(_ offer: OfferSummary) async { endpoint?.send(.changed(offer)) }

    func tellProgress(_ progress: OfferProgress) async { endpoint?.sendProgress(progress) }

    func tellAdapters(_ active: [String]) async { endpoint?.publish(activeAdapters: active) }

    func tellApps(_ apps: InstalledApps) async { endpoint?.publish(apps: apps) }

    func tellOpened(_ page: OpenedPage, to follower: ClientID) async {
        endpoint?.sendPageOpened(page, to: follower)
    }
}
