// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import NIOCore
import UserActivity

/// Continuation streams, on both sides.
extension HandoffService {
    /// A pair of streams under way.
    struct StreamRecord {
        let id: String
        let client: ClientID
        let channel: SecureChannel
        let ended: EventLoopFuture<StreamOutcome>
        let giveUp: @Sendable () -> Void
        /// Whether the activity is this device's own.
        let isOrigin: Bool
        /// Given back when they end.
        let place: Int
    }

    /// Opens a pair of streams to a continued activity.
    ///
    /// - Throws: ``ServiceError``.
    public func openStreams(_ continuation: String, client: ClientID) async throws -> ServiceStreams {
        let continuation = try self.continuation(continuation, of: client)
        guard continuation.supportsStreams else {
            throw ServiceError(.handoffFailed, "the activity does not support continuation streams")
        }
        guard let place = streamPlaces.take(for: continuation.device, by: continuation.program) else {
            throw ServiceError(.limitReached, "too many streams are open; close some of them first")
        }
        do {
            let instance = continuation.instance
            let deadline = clock.uptime + Self.continueTimeout
            let grant = try await ask(continuation.device, until: deadline) { [clock] link in
                try await link.openStreams(to: instance, timeout: max(deadline - clock.uptime, .zero))
            }
            let channel = try await dialStreams(to: continuation.device, grant)
            let id = try await run(
                .initiator(token: grant.token), on: channel, first: nil, client: client, isOrigin: false, place: place)
            try await id.handle.attached.get()
            return ServiceStreams(id: id.name, transport: channel.transport.rawValue, descriptor: id.app)
        } catch {
            streamPlaces.leave(place)
            throw (error as? HandoffError).map { ServiceError($0) } ?? error
        }
    }

    /// TCP when the other side answers there, else the radio.
    private func dialStreams(to device: DeviceID, _ grant: StreamGrant) async throws -> SecureChannel {
        guard let credential = keyring.credential(of: device) else {
            throw HandoffError(.connectionUnavailable, "that device is not in the circle any more")
        }
        let onTCP = grant.endpoints.compactMap { Endpoint($0, transport: tcp?.kind) }
        if !onTCP.isEmpty, let channel = try? await race(onTCP, credential: credential, within: Self.tcpPatience) {
            return channel
        }
        return try await race(endpoints(of: device).filter { $0.transport == radio.kind }, credential: credential)
    }

    /// How long TCP may keep a stream waiting before the radio is used.
    static let tcpPatience = Duration.seconds(3)

    private func race(
        _ endpoints: [Endpoint], credential: PeerCredential, within limit: Duration
    ) async throws -> SecureChannel {
        let deadline = clock.uptime + limit
        return try await withThrowingTaskGroup(of: SecureChannel?.self) { group in
            group.addTask { try await self.race(endpoints, credential: credential) }
            group.addTask { [clock] in
                try await clock.sleep(until: deadline)
                return nil
            }
            var winner: SecureChannel?
            var isOver = false
            while let result = await group.nextResult() {
                if case .success(let channel?) = result {
                    // A channel that came up while it was being given up is nobody's.
                    if isOver { channel.close() } else { winner = channel }
                }
                isOver = true
                group.cancelAll()
            }
            guard let winner else { throw ChannelFailure.timedOut }
            return winner
        }
    }

    // MARK: - The origin's side

    func link(_ link: PeerLink, serveStreamsTo instance: [UInt8]) async -> Result<StreamGrant, HandoffError> {
        guard let entry = registry.entry(instance: instance), isReachable(entry) else {
            return .failure(HandoffError(.connectionUnavailable, "the activity has ended on the other device"))
        }
        guard entry.state.supportsContinuationStreams else {
            return .failure(HandoffError(.streamsUnsupported, "the activity does not support continuation streams"))
        }
        guard let token = tokens.issue(to: link.device, instance: instance, at: clock.uptime) else {
            return .failure(HandoffError(.busy, "too many streams are being opened; try again"))
        }
        await refreshTCPEndpoints()
        return .success(StreamGrant(token: token, endpoints: tcpEndpoints))
    }

    private func isReachable(_ entry: ActivityRegistry.Entry) -> Bool {
        if advertisedEntry?.instance == entry.instance { return true }
        return givenAway[entry.instance].map { $0 > clock.uptime } ?? false
    }

    func attachStreams(_ attach: Attach, on channel: SecureChannel, from device: DeviceID) async {
        guard StreamMachine(role: .responder).accepts(attach) else {
            channel.send(.reset(Reset(reason: .staleGeneration)))
            return channel.close()
        }
        guard streamPlaces.isFree(for: device),
            let instance = tokens.redeem(attach.token, by: device, at: clock.uptime),
            let entry = registry.entry(instance: instance),
            let place = streamPlaces.take(for: device, by: entry.program)
        else {
            channel.send(.reset(Reset(reason: .unknownToken)))
            return channel.close()
        }
        do {
            let pair = try await run(
                .responder, on: channel, first: attach, client: entry.client, isOrigin: true, place: place)
            let streams = ServiceStreams(
                id: pair.name, transport: channel.transport.rawValue, descriptor: pair.app)
            tellClient(
                .streamsOpened(
                    activity: entry.id, client: entry.client, device: name(of: device), streams: streams))
        } catch {
            streamPlaces.leave(place)
            logger.warning("streams from \(device) were not opened: \(error)")
        }
    }

    // MARK: - Both sides

    private func run(
        _ role: StreamMachine.Role, on channel: SecureChannel, first: Attach?, client: ClientID, isOrigin: Bool,
        place: Int
    ) async throws -> (name: String, app: OwnedDescriptor, handle: StreamEngine.Handle) {
        let app: OwnedDescriptor
        let handle: StreamEngine.Handle
        do {
            guard isWelcome(channel) else { throw PeerLink.unavailable }
            let (own, other) = try OwnedDescriptor.pair()
            app = other
            handle = try await StreamEngine.start(
                role, on: channel, first: first, app: own, clock: clock
            ) { [isPresent] in await isPresent(client) }
        } catch {
            channel.close()
            throw error
        }
        if !isWelcome(channel) { channel.close() }
        let name = [UInt8](randomBytes: 8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        streams[name] = StreamRecord(
            id: name, client: client, channel: channel, ended: handle.ended, giveUp: handle.giveUp,
            isOrigin: isOrigin, place: place)
        await reachabilityChanged()
        background.begin {
            let outcome = try await handle.ended.get()
            await self.streamsEnded(name, outcome)
        }
        return (name, app, handle)
    }

    /// Whether streams may go over a channel: its device may have been removed while it was dialled, or while the streams began.
    private func isWelcome(_ channel: SecureChannel) -> Bool {
        guard !isStopping else { return false }
        if case .member(let device) = channel.peer { return isMember(device) }
        return true
    }

    func streamsEnded(_ name: String, _ outcome: StreamOutcome) async {
        guard let stream = streams.removeValue(forKey: name) else { return }
        streamPlaces.leave(stream.place)
        tellClient(.streamEnded(stream: name, client: stream.client, error: outcome.complaint))
        await reachabilityChanged()
    }
}

extension StreamOutcome {
    /// What went wrong, in one line; nil when nothing did.
    fileprivate var complaint: String? {
        guard case .failed(let failure) = self else { return nil }
        return switch failure {
        case .localFailed: "the program here closed its end before everything had arrived"
        case .reset(let reason) where reason == .applicationFailed:
            "the program on the other device closed its end early"
        case .reset: "the other device gave the streams up"
        case .protocolViolation(let rule): "the other device broke the protocol: \(rule)"
        case .broken: "the connection to the other device broke"
        case .attachTimedOut: "the other device did not answer in time"
        }
    }
}
