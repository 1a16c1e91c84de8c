// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Diagnosis
import Glibc
import Logging
import TraceModel
import NIOCore

/// Continuation streams, on both sides.
extension HandoffService {
    /// How long a program may wait in all until a pair of streams is open.
    static let openingTimeout = Duration.seconds(120)

    /// Opens a pair of streams to a continued activity.
    ///
    /// - Throws: ``BatonError``.
    public func openStreams(_ continuation: String, client: ClientID) async throws -> OpenedStreams {
        guard !lifecycle.isDraining else { throw Self.ending }
        let continuation = try continuations.entry(continuation, of: client)
        guard continuation.supportsStreams else {
            throw BatonError(.handoffFailed, .streamsUnsupported, ["laptop": .text(name(of: continuation.device))])
        }
        guard let place = streams.takePlace(with: account(of: continuation.device), for: continuation.program) else {
            throw BatonError(.limitReached, .tooManyStreams)
        }
        do {
            let instance = continuation.instance
            let begun = clock.uptime
            let (answerDeadline, deadline) = (begun + Self.continueTimeout, begun + Self.openingTimeout)
            let grant = try await ask(continuation.device, until: answerDeadline) { [clock] link in
                try await link.openStreams(to: instance, timeout: max(answerDeadline - clock.uptime, .zero))
            }
            let way = StreamWay(
                device: continuation.device, token: grant.token,
                endpoints: transports.told(grant.endpoints))
            let channel = try await dialStreams(way, until: deadline)
            let (pair, app) = try await run(
                .initiator(token: grant.token), way, on: channel, first: nil, client: client, place: place)
            let late = background.begin { [clock] in
                try await clock.sleep(until: deadline)
                pair.handle.giveUp()
            }
            defer { late.cancel() }
            try await pair.handle.attached.get()
            return OpenedStreams(stream: pair.id, transport: channel.transport.rawValue, descriptor: app)
        } catch {
            streams.leave(place)
            throw (error as? HandoffError).map { BatonError($0, of: name(of: continuation.device)) } ?? error
        }
    }

    /// Dials over networks, and over the radio if no network leads to the other device.
    private func dialStreams(_ way: StreamWay, until deadline: Duration) async throws -> SecureChannel {
        let begun = clock.uptime
        if let channel = try? await dialStreamsByNetwork(way) { return channel }
        let onRadio = endpoints(of: way.device).filter { transports.range(of: $0) == .radio }
        return try await race(onRadio, to: way.device) {
            try await $0.silence(of: SilenceLimits.device, since: begun, until: deadline)
        }
    }

    /// How long a dial over networks may take before the radio is used.
    static let networkPatience = Duration.seconds(3)

    /// Dials a device's network endpoints: first the endpoints of its last hello, then the
    /// endpoints of the streams' grant. Leaves out addresses at which the streams have stalled
    /// recently.
    func dialStreamsByNetwork(
        _ way: StreamWay, except stalls: StalledAddresses = StalledAddresses()
    ) async throws -> SecureChannel {
        let deadline = clock.uptime + Self.networkPatience
        let told = peers[way.device].addresses.told(at: clock.uptime)
        let all = told + way.endpoints.filter { !told.contains($0) }
        let endpoints = stalls.dialable(all, at: clock.uptime)
        do {
            return try await race(endpoints, to: way.device) { [clock] _ in try await clock.sleep(until: deadline) }
        } catch let error as HandoffError where error.isUnanswered {
            unanswered(by: way.device, at: endpoints)
            throw error
        }
    }

    /// Dials a device for its streams, until `isOver` returns.
    func race(
        _ endpoints: [Endpoint], to device: DeviceID,
        unless isOver: @escaping @Sendable (SignsOfLife) async throws -> Void
    ) async throws -> SecureChannel {
        guard let credential = keyring.credential(of: device) else {
            throw HandoffError(.connectionUnavailable, .noLongerMember)
        }
        return try await dialler.race(endpoints, credential: credential, unless: isOver)
    }

    // MARK: - The origin's side

    /// Lets a link's device dial streams to an activity that it has continued.
    func grantStreams(to instance: [UInt8], over link: PeerLink) async -> Result<StreamGrant, HandoffError> {
        do {
            // Check the speaker here too, because streams can carry a file's contents.
            try await checkSpeaker(of: try entry(forStreamsTo: instance, by: link.device))
            refreshToldEndpoints()
            // The activity may have ended, or the user may have stopped the device, meanwhile.
            _ = try entry(forStreamsTo: instance, by: link.device)
        } catch {
            return .failure(error)
        }
        guard peers.mayAskForStreams(link.device, of: instance, at: clock.uptime),
            let token = streams.issueToken(
                to: link.device, of: account(of: link.device), for: instance, at: clock.uptime)
        else {
            return .failure(HandoffError(.busy, .tooManyStreams))
        }
        return .success(StreamGrant(token: token, endpoints: reachability.told))
    }

    /// Returns the activity to which a device may open streams.
    private func entry(
        forStreamsTo instance: [UInt8], by device: DeviceID
    ) throws(HandoffError) -> ActivityRegistry.Entry {
        guard !lifecycle.isDraining, let entry = apps.registry.entry(instance: instance), isReachable(entry) else {
            throw HandoffError(.connectionUnavailable, .activityEnded)
        }
        if let refusal = refusal(ofStreamsTo: instance, by: device) { throw refusal }
        guard entry.state.supportsContinuationStreams else {
            throw HandoffError(.streamsUnsupported, .streamsUnsupported)
        }
        return entry
    }

    /// Returns why a device may not open streams to an activity, or nil if it may.
    private func refusal(ofStreamsTo instance: [UInt8], by device: DeviceID) -> HandoffError? {
        guard peers[device].streamGrants.hasFetched(instance) else {
            return HandoffError(.connectionUnavailable, .notFetched)
        }
        return stop(of: device)
    }

    private func isReachable(_ entry: ActivityRegistry.Entry) -> Bool {
        advertisedEntry?.instance == entry.instance || entry.isReachable(at: clock.uptime)
    }

    func attachStreams(_ attach: Attach, on channel: SecureChannel, from device: DeviceID) async {
        if let pair = streams.opened(with: attach.token, by: device) { return pair.attach(channel, attach) }
        guard StreamMachine(role: .responder).accepts(attach) else { return refuse(channel, .staleGeneration) }
        if streams.isOpening(attach.token, by: device) {
            if let older = streams.postpone(attach, on: channel) { refuse(older, .staleGeneration) }
            return
        }
        let account = account(of: device)
        guard let instance = streams.redeem(attach.token, by: device, of: account, at: clock.uptime) else {
            return refuse(channel, .unknownToken)
        }
        await acceptStreams(to: instance, attach, on: channel, from: device)
        guard let later = streams.openingEnded(attach.token) else { return }
        await attachStreams(later.attach, on: later.channel, from: device)
    }

    private func refuse(_ channel: SecureChannel, _ reason: Reset.Reason) {
        channel.send(.reset(Reset(reason: reason)))
        channel.close()
    }

    /// Starts a pair of streams that a device opens with a valid token.
    private func acceptStreams(
        to instance: [UInt8], _ attach: Attach, on channel: SecureChannel, from device: DeviceID
    ) async {
        guard let entry = await activity(instance, for: device),
            let place = streams.takePlace(with: account(of: device), for: entry.program)
        else { return refuse(channel, .unknownToken) }
        cameByRadio(channel, from: device)
        noteStreams(to: entry, by: device)
        do {
            let way = StreamWay(device: device, token: attach.token)
            _ = try await run(
                .responder, way, on: channel, first: attach, client: entry.client, place: place
            ) { [deviceName = name(of: device)] stream in
                .streamsOpened(
                    activity: entry.id, client: entry.client, stream: stream, device: device.description,
                    deviceName: deviceName)
            }
        } catch {
            streams.leave(place)
            logger.warning(
                "streams from \(device) were not opened: \(error)", metadata: [LogMetadata.cause: "\(device)"])
        }
    }

    /// Returns the activity to which a device opens streams, or nil if it may not open them. Checks
    /// again that the adapter may speak for its program, that the activity has not ended, and that
    /// the device is not stopped.
    private func activity(_ instance: [UInt8], for device: DeviceID) async -> ActivityRegistry.Entry? {
        guard let entry = apps.registry.entry(instance: instance), (try? await checkSpeaker(of: entry)) != nil,
            refusal(ofStreamsTo: instance, by: device) == nil
        else { return nil }
        return apps.registry.entry(instance: instance)
    }

    /// Records that a device opened streams, which carry the app's present contents. All but the
    /// first streams after a fetch count as another fetch.
    private func noteStreams(to entry: ActivityRegistry.Entry, by device: DeviceID) {
        guard peers[device].streamGrants.opened(entry.instance) else { return }
        noteFetch(of: entry, by: device)
    }

    /// Hands streams that another device opened over to the app that was notified of them, once.
    ///
    /// - Throws: ``BatonError/Code/notFound`` for any other program, for a second call, and after
    ///   the app's time to take them has run out.
    public func takeStreams(_ id: String, client: ClientID) throws -> OpenedStreams {
        let (descriptor, channel) = try streams.take(id, by: client)
        return OpenedStreams(stream: id, transport: channel.transport.rawValue, descriptor: descriptor)
    }

    /// Takes streams back from an app that has closed both directions. The other device gets all
    /// that the app wrote, even if the app exits now.
    ///
    /// - Parameters:
    ///   - id: The streams' name.
    ///   - end: The app's end of the socket pair.
    ///   - discards: Whether data that still arrives for the app is thrown away. If not, such data
    ///     fails the streams, because the app had begun to read.
    /// - Throws: ``BatonError/Code/notFound`` if the program has no such streams,
    ///   ``BatonError/Code/invalidArgument`` for another descriptor.
    public func closeStreams(_ id: String, end: OwnedDescriptor, discards: Bool, client: ClientID) throws {
        let pair = try streams.close(id, end, by: client)
        ClosedEnd.keep(end, on: pair.channel.channel.eventLoop, unwanted: discards ? nil : pair.handle.giveUp)
    }

    /// Returns whether a pair's app still runs, or had ended its output before it exited.
    private func hasEnded(_ id: String, _ client: ClientID) async -> Bool {
        if await environment.isPresent(client) { return true }
        return streams[id]?.isClosed ?? false
    }

    // MARK: - Both sides

    /// Starts a pair of streams on a channel, and reports the pair's end.
    ///
    /// - Parameter offer: Called with the streams' name to make the event that notifies the
    ///   activity's publisher; nil if an app of this device opens the streams.
    private func run(
        _ role: StreamMachine.Role, _ way: StreamWay, on channel: SecureChannel, first: Attach?, client: ClientID,
        place: Int, offer: ((String) -> ClientEvent)? = nil
    ) async throws -> (OpenStreams<SecureChannel>.Pair, app: OwnedDescriptor) {
        let (news, tell) = AsyncStream.makeStream(of: StreamEngine.News.self)
        let id = String(randomBytes: 8)
        let app: OwnedDescriptor
        let handle: StreamEngine.Handle
        do {
            guard isWelcome(channel) else { throw PeerLink.unavailable }
            guard let (own, other) = OwnedDescriptor.socketPair() else {
                throw BatonError(.limitReached, .descriptorsUsedUp)
            }
            app = other
            handle = try await StreamEngine.start(
                role, on: channel, first: first, app: own, clock: clock,
                isAppThere: { [weak self] in await self?.hasEnded(id, client) ?? false }, tell: { tell.yield($0) })
        } catch {
            channel.close()
            throw error
        }
        // The device may have been stopped before the pair was in ``streams``.
        if !isWelcome(channel) || offer != nil && stop(of: way.device) != nil { handle.stop() }
        let pair = OpenStreams<SecureChannel>.Pair(
            id: id, client: client, way: way, channel: channel, handle: handle, place: place,
            appEnd: SocketIdentity(app), waiting: offer.map { _ in (descriptor: app, since: clock.uptime) })
        streams.insert(pair)
        // Send the offer at once. The app's time to take the streams has begun, and the offer must
        // precede their end.
        if let offer { tellClient(offer(pair.id)) }
        reachabilityChanged()
        let fields = traced(channel.peer) + [.plain("transport", channel.transport.rawValue)]
        let span = trace.begin(.streams, "streams", fields)
        background.begin { await self.carry(id, role, news) }
        background.begin { [trace] in
            let outcome = try await handle.ended.get()
            tell.finish()
            await self.streamsEnded(id, outcome)
            trace.end(span, .streams, "streams", fields + outcome.traced)
        }
        return (pair, app)
    }

    /// Returns whether streams may use a channel. The channel's device may have been removed during
    /// the dial or the start of the streams.
    func isWelcome(_ channel: SecureChannel) -> Bool {
        guard !lifecycle.isStopping else { return false }
        if case .member(let device) = channel.peer { return isMember(device) }
        return true
    }

    func streamsEnded(_ id: String, _ outcome: StreamOutcome) {
        guard let pair = streams.ended(id) else { return }
        if case .failed(.protocolViolation(let rule)) = outcome {
            logger.notice("the other device broke a rule of streams: \(rule)")
        }
        let complaint = outcome.complaint.map { pair.isGivenUp ? Reason(.streamsGivenUp) : $0 }
        tellClient(.streamEnded(stream: id, client: pair.client, error: complaint))
        reachabilityChanged()
    }
}

extension StreamOutcome {
    fileprivate var traced: [TraceField] {
        if case .failed(let failure) = self { [.failure("\(failure)", detail: "")] } else { [] }
    }

    /// The reason for a failure, or nil if the streams succeeded.
    fileprivate var complaint: Reason? {
        guard case .failed(let failure) = self else { return nil }
        return switch failure {
        case .localFailed: Reason(.streamsClosedHere)
        case .stopped: Reason(.streamsStopped)
        case .notTaken: Reason(.streamsNotTaken)
        case .reset(let reason) where reason == .applicationFailed: Reason(.streamsClosedThere)
        case .reset(let reason) where reason == .stopped: Reason(.streamsStopped)
        case .reset(let reason) where reason == .unknownToken: Reason(.streamsBroken)
        case .reset(let reason) where reason == .notTaken: Reason(.streamsNotTakenThere)
        case .reset: Reason(.streamsGivenUpThere)
        case .protocolViolation: Reason(.streamsMalformed)
        case .broken: Reason(.streamsBroken)
        case .attachTimedOut: Reason(.streamsSilent)
        }
    }
}
