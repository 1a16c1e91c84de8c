// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging
import UserActivity

/// Control channels to the circle's other devices.
extension HandoffService: PeerLinkDelegate {
    /// How long reaching an endpoint may take: a radio's connection waits for the next advertisement, and for its turn.
    static let dialTimeout = Duration.seconds(20)
    /// How long a TCP address that a device told is tried.
    static let endpointLifetime = Duration.seconds(86_400)
    /// How long a device has to say what a channel is for.
    static let firstFrameTimeout = Duration.seconds(15)

    /// A link to a device: the one there is, or a new one.
    ///
    /// - Throws: ``HandoffError``.
    func link(to device: DeviceID) async throws -> PeerLink {
        if let link = links[device], await link.acceptsRequests { return link }
        if let dial = dials[device] { return try await dial.value }
        let dial = Task { try await dialLink(to: device) }
        dials[device] = dial
        defer { dials[device] = nil }
        return try await dial.value
    }

    private func dialLink(to device: DeviceID) async throws -> PeerLink {
        guard let credential = keyring.credential(of: device) else {
            throw HandoffError(.connectionUnavailable, "that device is not in the circle any more")
        }
        let channel = try await race(endpoints(of: device), credential: credential)
        let link = adopt(channel, from: device, dialler: identity.id, first: nil)
        try await link.waitUntilReady()
        return link
    }

    /// Where a device may answer: where it was heard, and where it said that it listens.
    private func endpoints(of device: DeviceID) -> [Endpoint] {
        let heard = book.heard(device.short).prefix(3).map {
            Endpoint(transport: radio.kind, address: $0.address, port: UInt16($0.psm))
        }
        guard let known = knownEndpoints[device], known.until > clock.uptime else { return heard }
        return heard + known.endpoints
    }

    /// Dials all of a device's endpoints at once, those of the radio one after the other; the first that is secure wins.
    func race(_ endpoints: [Endpoint], credential: PeerCredential) async throws -> SecureChannel {
        let onRadio = endpoints.filter { $0.transport == radio.kind }
        let others = endpoints.filter { $0.transport == tcp?.kind }
        guard !onRadio.isEmpty || !others.isEmpty else {
            throw HandoffError(
                .connectionUnavailable, "the other device is out of reach; bring it nearer and try again")
        }
        return try await withThrowingTaskGroup(of: SecureChannel.self) { group in
            for endpoint in others { group.addTask { try await self.dial([endpoint], credential) } }
            if !onRadio.isEmpty { group.addTask { try await self.dial(onRadio, credential) } }
            var winner: SecureChannel?
            var failure: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let channel):
                    if winner == nil { winner = channel } else { channel.close() }
                    group.cancelAll()
                case .failure(let error): failure = failure ?? error
                }
            }
            guard let winner else { throw Self.unreachable(failure) }
            return winner
        }
    }

    private func dial(_ endpoints: [Endpoint], _ credential: PeerCredential) async throws -> SecureChannel {
        var failure: (any Error)?
        for endpoint in endpoints {
            try Task.checkCancellation()
            let transport: any ChannelTransport = endpoint.transport == radio.kind ? radio : tcp ?? radio
            do {
                return try await channels.dial(
                    endpoint, over: transport, credential: credential, timeout: Self.dialTimeout)
            } catch {
                logger.debug("dialling \(endpoint) failed: \(error)")
                failure = failure ?? error
            }
        }
        throw Self.unreachable(failure)
    }

    private static func unreachable(_ failure: (any Error)?) -> HandoffError {
        if let failure = failure as? HandoffError { return failure }
        return HandoffError(
            .connectionUnavailable, "the other device does not answer; bring it nearer and try again",
            cause: failure.map { "\($0)" })
    }

    /// A channel that proved itself came in: its first frame says what for.
    func accepted(_ channel: SecureChannel) async {
        do {
            let frame = try await channel.nextFrame(within: Self.firstFrameTimeout)
            switch (channel.peer, frame) {
            case (.invited(let invitation), .join(let request)):
                try await admit(request, on: channel, invitation: invitation)
            case (.member(let device), .hello):
                adopt(channel, from: device, dialler: device, first: frame)
            case (.member(let device), .attach(let attach)):
                await attachStreams(attach, on: channel, from: device)
            default: throw ChannelFailure.violation("a channel begins with Hello, Attach or Join")
            }
        } catch {
            logger.debug("an accepted channel was closed: \(error)")
            channel.close()
        }
    }

    /// Runs a link on a channel; of two to the same device one drains.
    @discardableResult
    private func adopt(
        _ channel: SecureChannel, from device: DeviceID, dialler: DeviceID, first: Frame?
    ) -> PeerLink {
        let link = PeerLink(
            device: device, channel: channel, dialler: dialler, hello: hello(), clock: clock, delegate: self)
        let older = links[device]
        links[device] = link
        if let older {
            let survivor = DuplicateChannels.survivor(
                dialledBy: older.dialler.bytes, dialler.bytes, local: identity.id.bytes)
            if survivor == .older { links[device] = older }
            if let loser = survivor.map({ $0 == .older ? link : older }) { Task { await loser.drain(.duplicate) } }
        }
        Task { await link.run(first: first) }
        return link
    }

    /// What this device says of itself now.
    func hello() -> Hello {
        let beacon = advertiser?.current
        var types: [ActivityTypeEntry] = []
        for entry in registry.all.prefix(Hello.maximumTypes) {
            guard let hash = hash(of: entry) else { continue }
            types.append(ActivityTypeEntry(hash: hash.bytes, team: entry.team, type: entry.state.activityType))
        }
        return Hello(
            name: store.state.name, unixTime: clock.unixTime, sequence: beacon?.sequence ?? 0,
            activity: beacon?.offered?.bytes, types: types, endpoints: tcpEndpoints,
            circle: (try? circle?.encoded()) ?? [])
    }

    /// Tells the devices in touch what has changed here.
    func tellPeers() async {
        await refreshTCPEndpoints()
        let hello = hello()
        for link in links.values { await link.tell(hello) }
    }

    func link(_ link: PeerLink, said hello: Hello) async {
        names[link.device] = hello.name
        let told = hello.endpoints.compactMap { Endpoint($0, transport: tcp?.kind) }
        if !told.isEmpty { knownEndpoints[link.device] = (told, clock.uptime + Self.endpointLifetime) }
        await mergeCircle(hello.circle, from: link.device)
        var table: [ActivityHash: String] = [:]
        for entry in hello.types {
            if let hash = hasher?.hash(team: entry.team, type: entry.type) { table[hash] = entry.type }
        }
        tell(book.learnt(types: table, at: clock.uptime))
        tell(
            book.hello(
                device: link.device.short, sequence: hello.sequence,
                activity: hello.activity.flatMap { ActivityHash(bytes: $0) }, at: clock.uptime))
    }

    func linkRetired(_ link: PeerLink) {
        if links[link.device] === link { links[link.device] = nil }
    }
}

extension Endpoint {
    /// An endpoint that a device told, when it is of a transport in use here.
    init?(_ record: EndpointRecord, transport: TransportKind?) {
        guard let transport, record.transport == transport.rawValue else { return nil }
        self.init(transport: transport, address: record.address, port: record.port)
    }

    var record: EndpointRecord { EndpointRecord(transport: transport.rawValue, address: address, port: port) }
}
