// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Diagnosis
import Logging
import TraceModel

/// Hand-overs, on both sides.
extension HandoffService {
    /// How long a hand-over may take by default, while the other device shows signs of life. The
    /// app on the other device may take long to answer. Silence of that device ends the hand-over
    /// much earlier (``SilenceLimits``).
    static let continueTimeout = Duration.seconds(75)

    /// Verifies that an offer's device is near. Dials the device by radio at an address at which it
    /// is heard, and checks its identity. The service does this before actions that begin by
    /// themselves when a device comes near. A stranger that replays a device's beacons fails the
    /// check.
    ///
    /// - Parameter signal: The weakest signal, in dBm, at which the device must be heard.
    /// - Throws: ``BatonError``, also when a recent dial to the device has failed.
    public func reach(_ id: String, near signal: Int) async throws {
        let (_, device) = try offer(id)
        do {
            _ = try await link(to: device, by: .near(signal: signal), until: clock.uptime + Self.continueTimeout)
        } catch let error as HandoffError {
            throw BatonError(error, of: name(of: device))
        }
    }

    private func offer(_ id: String) throws -> (offer: Offer, device: DeviceID) {
        guard let offer = sightings.book.offers.first(where: { $0.id == id }), let device = member(short: offer.device)
        else {
            throw BatonError(.notFound, .offerGone)
        }
        return (offer, device)
    }

    /// Fetches an offered activity. The caller must call ``accept(_:accepted:client:)`` afterwards.
    ///
    /// - Parameters:
    ///   - account: The account whose limits for one program the client shares; nil for limits of
    ///     its own.
    ///   - signal: The weakest signal, in dBm, at which the device must be heard, for a fetch that
    ///     begins by itself. The device is then asked only by radio, and an activity that this
    ///     device gave away or has open is declined. Nil for any transport.
    /// - Throws: ``BatonError``.
    public func continueOffer(
        _ id: String, timeout: Duration?, client: ClientID, account: String? = nil, near signal: Int? = nil
    ) async throws -> ContinuedActivity {
        guard !lifecycle.isDraining else { throw Self.ending }
        await confirmLinkOffers(of: try offer(id).device)
        let (offer, device) = try offer(id)
        let program = ClientProgram(account: account, client: client)
        let fetchID = Continuations<PeerLink>.FetchID(offer: id, client: client)
        let fields = traced(offer)
        let fetch = try continuations.fetch(fetchID, from: device, for: program) {
            background.begin {
                try await self.trace.spanning(.handover, "fetch", fields) {
                    try await self.fetch(
                        offer, from: device, by: signal.map { .near(signal: $0) } ?? .any,
                        timeout: timeout ?? Self.continueTimeout)
                }
            }
        }
        defer { continuations.fetchEnded(fetchID) }
        let fetched = try await withTaskCancellationHandler {
            try await fetch.value
        } onCancel: {
            fetch.cancel()
        }
        let id = continuations.insert(fetched, from: device, for: client, of: program, at: clock.uptime)
        let (grant, state) = (fetched.grant, fetched.grant.activity.state)
        let origin = grant.origin ?? grant.instance
        apps.lineage.fetched(
            id, origin: origin, type: state.activityType, from: offer, live: continuations.ids)
        carryOut(sightings.book.learnt(title: state.title, of: offer, at: clock.uptime))
        if signal != nil, apps.isFromHere(origin: origin) {
            try accept(id, accepted: false, client: client)
            throw BatonError(.userCancelled, .ownActivity)
        }
        return ContinuedActivity(
            continuation: id, activity: state, device: device.description, deviceName: name(of: device),
            transport: fetched.link.channel.transport.rawValue)
    }

    /// Records whether the app took the activity over, and reports that to the other device.
    public func accept(_ id: String, accepted: Bool, client: ClientID) throws {
        guard
            let continuation = try continuations.accept(id, accepted: accepted, client: client, at: clock.uptime)
        else { return }
        trace.record(.handover, accepted ? "accepted" : "declined", [traced(continuation.device)])
        if accepted { apps.lineage.accepted(id, by: client, at: clock.uptime) }
        continuation.link.report(continuation.request, accepted: accepted)
    }

    /// Cancels a continuation, the fetch of an offer, or a pair of streams.
    public func cancel(_ id: String, client: ClientID) {
        guard !streams.giveUp(id, of: client) else { return }
        continuations.cancelFetch(.init(offer: id, client: client))
        guard let continuation = continuations.remove(id, of: client) else { return }
        continuation.link.report(continuation.request, accepted: false)
    }

    /// Gives a continuation that is not accepted yet to the app that was started for it.
    ///
    /// - Parameter account: The account whose limits for one program the app shares; nil for limits
    ///   of its own.
    public func transfer(_ id: String, from client: ClientID, to app: ClientID, account: String? = nil) throws {
        try continuations.transfer(
            id, from: client, to: app, of: ClientProgram(account: account, client: app))
    }

    private func fetch(
        _ offer: Offer, from device: DeviceID, by route: Route, timeout: Duration
    ) async throws -> Continuations<PeerLink>.Fetched {
        let deadline = clock.uptime + timeout
        // Take the hasher now. The circle's secret may change during the fetch, and the offered
        // hash depends on the present secret.
        let (offered, hasher) = (OfferedType(of: offer), advertising.keys.hasher)
        do {
            let fetched = try await ask(device, by: route, until: deadline) { [clock] link in
                let (request, grant) = try await link.continueActivity(
                    offer.activity.bytes, timeout: max(deadline - clock.uptime, .zero))
                return Continuations<PeerLink>.Fetched(link: link, request: request, grant: grant)
            }
            let type = fetched.grant.activity.state.activityType
            guard isType(type, of: offer, as: offered, hasher) else {
                fetched.link.report(fetched.request, accepted: false)
                throw otherType(type, than: offer, from: device)
            }
            return fetched
        } catch let error as HandoffError {
            logger.info(
                "\(name(of: device)) did not hand \(offer.activity) over: \(error)",
                metadata: [LogMetadata.cause: "\(device)"])
            throw BatonError(error, of: name(of: device))
        } catch is CancellationError {
            throw BatonError(.userCancelled, .cancelled)
        }
    }

    private func isType(
        _ type: String, of offer: Offer, as offered: OfferedType, _ hasher: ActivityHasher?
    ) -> Bool {
        guard let hasher else { return false }
        return offered.isType(
            type, learnt: kind(of: offer), teams: Set(apps.declared.map(\.team)), hasher: hasher)
    }

    private func kind(of offer: Offer) -> ActivityKind? { sightings.book.kind(of: offer.activity, from: offer.device) }

    /// Returns the error for the user, and logs the types. The log quotes the types, because a
    /// member may choose any text for a type.
    private func otherType(_ type: String, than offer: Offer, from device: DeviceID) -> HandoffError {
        let name = name(of: device)
        let offered =
            (offer.type ?? kind(of: offer)?.type)?.debugDescription ?? "\(offer.activity)"
        logger.warning(
            "\(name) offered \(offered) and handed over \(type.debugDescription), refusing it",
            metadata: [LogMetadata.cause: "\(device)"])
        return HandoffError(.handoffFailed, .otherType)
    }

    // MARK: - The origin's side

    /// Hands the activity with a hash over to the device of a link.
    func handOver(_ activity: [UInt8], over link: PeerLink) async -> Result<ContinueGrant, HandoffError> {
        guard let entry = advertisedEntry, advertising.keys.isOffered(entry, as: activity, at: clock.uptime) else {
            return .failure(Self.ended)
        }
        let span = trace.begin(.handover, "hand over", [traced(link.device), .type(entry.state.activityType)])
        let result = await handOver(entry, to: link.device)
        let failure = if case .failure(let error) = result { [TraceField(error)] } else { [TraceField]() }
        trace.end(span, .handover, "hand over", [traced(link.device)] + failure)
        return result
    }

    private func handOver(
        _ entry: ActivityRegistry.Entry, to device: DeviceID
    ) async -> Result<ContinueGrant, HandoffError> {
        do {
            if let stop = stop(of: device) { throw stop }
            try await save(entry, for: device)
            try await checkSpeaker(of: entry)
            // The user may have stopped the device, paused Baton or hidden the activity meanwhile.
            // If only another activity is current now, the device still gets the one that it asked
            // for.
            if let stop = stop(of: device) { throw stop }
            guard let fresh = apps.registry.entry(instance: entry.instance), apps.isShown(fresh),
                !fresh.hasExpired(at: clock.unixTime)
            else { throw Self.ended }
            if let refusal = apps.saves.refusal(of: fresh.id) { throw refusal }
            apps.unreported.fetchedAgain(fresh.instance, by: device)
            noteFetch(of: fresh, by: device)
            peers[device].streamGrants.fetched(fresh.instance)
            return .success(
                ContinueGrant(
                    instance: fresh.instance, activity: fresh.encoded,
                    origin: fresh.origin == fresh.instance ? nil : fresh.origin,
                    id: Array(randomBytes: ContinueGrant.instanceLength)))
        } catch let error as HandoffError {
            return .failure(error)
        } catch {
            return .failure(HandoffError(.handoffFailed, .handoverFailed, cause: "\(error)"))
        }
    }

}

extension BatonError {
    /// Creates the error of a failed hand-over for an app or a user.
    ///
    /// - Parameter laptop: The other device's name.
    init(_ error: HandoffError, of laptop: String) {
        let code: Code =
            switch error.code {
            case .connectionUnavailable: .connectionUnavailable
            case .remoteApplicationTimedOut: .remoteApplicationTimedOut
            case .userInfoTooLarge: .userInfoTooLarge
            case .userCancelled: .userCancelled
            case .noSuchActivity: .notFound
            case .busy: .limitReached
            case .invalidActivity: .invalidArgument
            default: .handoffFailed
            }
        self.init(code, error.reason.with("laptop", .text(laptop)))
    }
}
