// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import UserActivity

/// A hand-over, on both sides.
extension HandoffService {
    /// An activity that came from another device, until the app here has accepted it and opened its streams.
    struct Continuation {
        let id: String
        var client: ClientID
        var program: ClientProgram
        let device: DeviceID
        let link: PeerLink
        let request: UInt64
        /// The activity, for its streams.
        let instance: [UInt8]
        let supportsStreams: Bool
        var isReported = false
        /// The uptime at which it is forgotten: a report is awaited, and then streams can be asked for, as long as by the other side.
        var until: Duration
    }

    /// A program fetches an offer's activity once at a time.
    struct FetchID: Hashable {
        let offer: String
        let client: ClientID
    }

    /// A fetch that is under way.
    struct Fetch {
        let program: ClientProgram
        let task: Task<Fetched, any Error>
    }

    /// What a fetch brings, and the link that owes the other device a report.
    struct Fetched: Sendable {
        let link: PeerLink
        let request: UInt64
        let grant: ContinueGrant
    }

    /// How long a continuation may take when the caller does not say.
    static let continueTimeout = Duration.seconds(30)
    /// How long an activity stays reachable for streams after it was continued, current or not.
    static let reachableAfterwards = Duration.seconds(60)
    /// How long the app here may take to accept what was fetched. It may have to be started, and to open a document; the session to the
    /// other device waits as long.
    static let acceptance = Session.Limits().report
    /// How many continuations a program may have open.
    static let maximumContinuationsPerClient = 16
    /// How many an app may have open, with all its connections.
    static let maximumContinuationsPerProgram = 32
    /// How many all programs together may have open.
    static let maximumContinuations = 256

    /// Makes sure that an offer's device is where it is heard: it answers over the radio there, and proves who it is. For what begins by
    /// itself when a device comes near; who replays its beacons does not get so far.
    ///
    /// - Parameter signal: how strongly it has to be heard where it is dialled, in dBm.
    /// - Throws: ``ServiceError``; also when the device was dialled in vain a short while ago.
    public func reach(_ id: String, near signal: Int) async throws {
        let (_, device) = try offer(id)
        do {
            _ = try await link(to: device, by: .near(signal: signal), until: clock.uptime + Self.continueTimeout)
        } catch let error as HandoffError {
            throw ServiceError(error)
        }
    }

    private func offer(_ id: String) throws -> (offer: Offer, device: DeviceID) {
        guard let offer = book.offers.first(where: { $0.id == id }), let device = member(short: offer.device) else {
            throw ServiceError(.notFound, "there is no offer \(id) any more; 'baton nearby' lists those there are")
        }
        return (offer, device)
    }

    /// Fetches an offered activity; the caller owes ``accept(_:accepted:client:)``.
    ///
    /// - Parameters:
    ///   - account: with whom the client shares what one program may continue; nil for the client alone.
    ///   - signal: for what begins by itself when a device comes near: the device is asked over the radio only, where it is heard
    ///     with so many dBm at least. Nil: on whatever way there is.
    /// - Throws: ``ServiceError``.
    public func continueOffer(
        _ id: String, timeout: Duration?, client: ClientID, account: String? = nil, near signal: Int? = nil
    ) async throws -> ContinuedInformation {
        let (offer, device) = try offer(id)
        let program = ClientProgram(account: account, client: client)
        try checkRoomForContinuation(client, of: program)
        let fetchID = FetchID(offer: id, client: client)
        guard fetches[fetchID] == nil else {
            throw ServiceError(.limitReached, "this offer is being continued already")
        }
        let fetch = background.begin {
            try await self.fetch(
                offer, from: device, by: signal.map { .near(signal: $0) } ?? .any,
                timeout: timeout ?? Self.continueTimeout)
        }
        fetches[fetchID] = Fetch(program: program, task: fetch)
        defer { fetches[fetchID] = nil }
        let fetched = try await withTaskCancellationHandler {
            try await fetch.value
        } onCancel: {
            fetch.cancel()
        }
        let continuation = Continuation(
            id: [UInt8](randomBytes: 8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), client: client,
            program: program, device: device, link: fetched.link, request: fetched.request,
            instance: fetched.grant.instance,
            supportsStreams: fetched.grant.state.supportsContinuationStreams, until: clock.uptime + Self.acceptance)
        continuations[continuation.id] = continuation
        let origin = fetched.grant.origin ?? fetched.grant.instance
        lineage.fetched(
            continuation.id, origin: origin, type: fetched.grant.state.activityType,
            from: offer.id, live: continuations.keys)
        tell(book.learnt(title: fetched.grant.state.title, of: offer.activity, on: device.short, at: clock.uptime))
        return ContinuedInformation(
            id: continuation.id, state: fetched.grant.state, device: device.description, deviceName: name(of: device),
            transport: fetched.link.channel.transport.rawValue, isFromHere: isFromHere(origin: origin))
    }

    /// Whether a program may continue one activity more.
    private func checkRoomForContinuation(_ client: ClientID, of program: ClientProgram) throws {
        let own = continuations.values.count { $0.client == client } + fetches.keys.count { $0.client == client }
        let shared =
            continuations.values.count { $0.program == program } + fetches.values.count { $0.program == program }
        guard own < Self.maximumContinuationsPerClient, shared < Self.maximumContinuationsPerProgram else {
            throw ServiceError(.limitReached, "too many activities are being continued; accept or cancel one first")
        }
        guard continuations.count + fetches.count < Self.maximumContinuations else {
            throw ServiceError(
                .limitReached, "all programs together continue too many activities; try again in a minute")
        }
    }

    /// Says whether the app took the activity over; the other device is told.
    public func accept(_ id: String, accepted: Bool, client: ClientID) async throws {
        var continuation = try continuation(id, of: client)
        guard !continuation.isReported else { return }
        continuation.isReported = true
        continuation.until = clock.uptime + Self.reachableAfterwards
        continuations[id] = accepted ? continuation : nil
        if accepted { lineage.accepted(id, by: client, at: clock.uptime) }
        await continuation.link.report(continuation.request, accepted: accepted)
    }

    /// Gives a continuation up, the fetch of an offer, or a pair of streams.
    public func cancel(_ id: String, client: ClientID) async {
        if let stream = streams[id], stream.client == client { return stream.giveUp() }
        fetches[FetchID(offer: id, client: client)]?.task.cancel()
        guard let continuation = try? continuation(id, of: client) else { return }
        continuations[id] = nil
        if !continuation.isReported { await continuation.link.report(continuation.request, accepted: false) }
    }

    /// Gives a continuation that is still to be accepted to another program: the app that was started for it.
    ///
    /// - Parameter account: with whom the app's client shares what one program may have; nil for the client alone.
    public func transfer(_ id: String, from client: ClientID, to app: ClientID, account: String? = nil) throws {
        var continuation = try continuation(id, of: client)
        continuation.client = app
        continuation.program = ClientProgram(account: account, client: app)
        continuations[id] = continuation
    }

    func continuation(_ id: String, of client: ClientID) throws -> Continuation {
        guard let continuation = continuations[id], continuation.client == client else {
            throw ServiceError(.notFound, "there is no continuation \(id) of this program")
        }
        return continuation
    }

    func setContinuationAlarm() {
        continuationAlarm.set(continuations.values.map(\.until).min(), clock: clock) { [weak self] in
            await self?.continuationAlarmWentOff()
        }
    }

    private func continuationAlarmWentOff() {
        continuationAlarm.wentOff()
        continuations = continuations.filter { $0.value.until > clock.uptime }
    }

    private func fetch(
        _ offer: Offer, from device: DeviceID, by route: Route, timeout: Duration
    ) async throws -> Fetched {
        let deadline = clock.uptime + timeout
        // The circle's secret may change meanwhile, and the hash that was offered is of this one.
        let (offered, hasher) = (OfferedType(of: offer), hasher)
        do {
            return try await ask(device, by: route, until: deadline) { [clock] link in
                let (request, grant) = try await link.continueActivity(
                    offer.activity.bytes, timeout: max(deadline - clock.uptime, .zero))
                guard await self.isType(grant.state.activityType, of: offer.activity, as: offered, hasher) else {
                    await link.report(request, accepted: false)
                    throw await self.otherType(grant.state.activityType, than: offer, from: device)
                }
                return Fetched(link: link, request: request, grant: grant)
            }
        } catch let error as HandoffError {
            throw ServiceError(error)
        } catch is CancellationError {
            throw ServiceError(.userCancelled, "the hand-over was cancelled")
        }
    }

    private func isType(
        _ type: String, of activity: ActivityHash, as offered: OfferedType, _ hasher: ActivityHasher?
    ) -> Bool {
        guard let hasher else { return false }
        return offered.isType(type, learnt: book.kind(of: activity), teams: Set(declared.map(\.team)), hasher: hasher)
    }

    /// What the user is told; the log has the types, quoted, since a member may call them what it likes.
    private func otherType(_ type: String, than offer: Offer, from device: DeviceID) -> HandoffError {
        let name = name(of: device)
        let offered = (offer.type ?? book.kind(of: offer.activity)?.type)?.debugDescription ?? "\(offer.activity)"
        logger.warning("\(name) offered \(offered) and handed over \(type.debugDescription), refusing it")
        return HandoffError(
            .handoffFailed,
            "\(name) handed over another type of activity than it had offered; nothing was continued")
    }

    // MARK: - The origin's side

    func link(_ link: PeerLink, serve activity: [UInt8]) async -> Result<ContinueGrant, HandoffError> {
        guard let entry = advertisedEntry, isOffered(entry, as: activity) else {
            return .failure(HandoffError(.noSuchActivity, "the activity has ended on the other device"))
        }
        do {
            try await save(entry)
            guard let fresh = registry.entry(instance: entry.instance) else {
                throw HandoffError(.noSuchActivity, "the activity has ended on the other device")
            }
            if let refusal = refusals[fresh.id] { throw refusal }
            try ActivityStateCoding.check(fresh.state)
            return .success(
                ContinueGrant(
                    instance: fresh.instance, state: fresh.state,
                    origin: fresh.origin == fresh.instance ? nil : fresh.origin))
        } catch let error as HandoffError {
            return .failure(error)
        } catch {
            return .failure(HandoffError(.handoffFailed, "the other device could not hand the activity over"))
        }
    }

    func link(_ link: PeerLink, continued instance: [UInt8], accepted: Bool) async {
        guard accepted, let entry = registry.entry(instance: instance) else { return }
        givenAway = givenAway.filter { $0.value > clock.uptime }
        givenAway[instance] = clock.uptime + Self.reachableAfterwards
        if let hash = hash(of: entry) {
            lineage.gave(entry.origin, to: Offer.id(device: link.device.short, activity: hash))
        }
        tellClient(.wasContinued(activity: entry.id, client: entry.client, device: name(of: link.device)))
    }
}

extension ServiceError {
    /// What an app or a user is told of a hand-over's failure.
    init(_ error: HandoffError) {
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
        self.init(code, error.cause.map { "\(error.message) (\($0))" } ?? error.message)
    }
}
