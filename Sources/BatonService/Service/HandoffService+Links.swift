// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Diagnosis
import Logging
import TraceModel

/// Control channels to the circle's other devices.
extension HandoffService: PeerLinkDelegate {
    /// The limit on a device's open control channels: one in use, and a few that drain.
    static let maximumLinksPerDevice = 8
    /// The limit for all devices of one account together (``Roster/accounts(besides:)``).
    static let maximumLinksPerAccount = 32

    /// Sends a request to a device, and returns the answer. If the link ends, drains or falls
    /// silent before the answer, asks again over another link on the same route.
    ///
    /// - Parameter deadline: The uptime by which the link must be open.
    /// - Throws: ``HandoffError``, `CancellationError`.
    func ask<Answer: Sendable>(
        _ device: DeviceID, by route: Route = .any, until deadline: Duration,
        _ question: @escaping @Sendable (PeerLink) async throws -> Answer
    ) async throws -> Answer {
        var begun = clock.uptime
        for _ in 0..<2 {
            let link = try await link(to: device, by: route, since: begun, until: deadline)
            do {
                return try await link.answer(to: question)
            } catch let error as HandoffError where error.code == .connectionUnavailable {
                // If the link still works, the error is the other device's own answer.
                if link.acceptsRequests { throw error }
                begun = max(begun, link.channel.signs.latest)
            }
        }
        return try await link(to: device, by: route, since: begun, until: deadline).answer(to: question)
    }

    /// Returns a link to a device, or throws if there is none in time. A dial that is late
    /// continues for the next caller.
    ///
    /// - Parameter begun: The uptime from which the device's silence counts; nil for the present
    ///   time.
    func link(
        to device: DeviceID, by route: Route, since begun: Duration? = nil, until deadline: Duration
    ) async throws -> PeerLink {
        if let link = usableLink(to: device, by: route) { return link }
        let (begun, late) = (begun ?? clock.uptime, HandoffError(unreachableBy: ChannelFailure.timedOut))
        let dial = dial(device, by: route)
        return try await dial.waiters.value(
            unless: { try await dial.signs.silence(of: SilenceLimits.device, since: begun, until: deadline) },
            late: late)
    }

    /// Returns a link to a device: an open one, or else a new one.
    ///
    /// - Throws: ``HandoffError``.
    func link(to device: DeviceID, by route: Route = .any) async throws -> PeerLink {
        if let link = usableLink(to: device, by: route) { return link }
        return try await dial(device, by: route).waiters.value()
    }

    /// Begins to open a link to a device, unless there is one. A failure is only logged.
    func beginLink(to device: DeviceID, by route: Route = .any, onFailure text: String) {
        background.begin { [logger] in
            do {
                _ = try await self.link(to: device, by: route)
            } catch {
                logger.debug("\(text): \(error)")
            }
        }
    }

    private func usableLink(to device: DeviceID, by route: Route) -> PeerLink? {
        usableLinks(to: device, by: route).first(where: \.acceptsRequests)
    }

    /// Returns the running dial to a device, or begins one.
    private func dial(_ device: DeviceID, by route: Route) -> Dials<PeerLink>.Dial {
        let id = Dials<PeerLink>.ID(device: device, route: route)
        if let dial = peers.dials[id] { return dial }
        let (waiters, signs) = (Waiters<PeerLink>(), SignsOfLife(clock: clock))
        let task = background.begin {
            do {
                await self.dialEnded(id, waiters, .success(try await self.dialLink(to: device, by: route, signs)))
            } catch {
                await self.dialEnded(id, waiters, .failure(error))
            }
        }
        let dial = Dials.Dial(task: task, waiters: waiters, signs: signs)
        peers.dials.begin(id, dial)
        return dial
    }

    private func dialEnded(
        _ id: Dials<PeerLink>.ID, _ waiters: Waiters<PeerLink>, _ outcome: Result<PeerLink, any Error>
    ) {
        peers.dials.ended(id, waiters)
        waiters.resolve(with: outcome)
    }

    /// Dials a device, and waits for its hello. If the link breaks before the hello, dials once
    /// more. The second attempt is worthwhile because a link can break by chance, and a failed dial
    /// fails all waiting callers.
    private func dialLink(to device: DeviceID, by route: Route, _ signs: SignsOfLife) async throws -> PeerLink {
        do {
            return try await readyLink(try await connect(to: device, by: route, signs), by: route)
        } catch let error as HandoffError where error == PeerLink.unavailable && !Task.isCancelled {
            return try await readyLink(try await connect(to: device, by: route, signs), by: route)
        }
    }

    /// Returns a link on a new channel to a device. The other device has not said hello on it yet.
    private func connect(to device: DeviceID, by route: Route, _ signs: SignsOfLife) async throws -> PeerLink {
        if lifecycle.isStopping { throw CancellationError() }
        guard let credential = keyring.credential(of: device) else {
            throw HandoffError(.connectionUnavailable, .noLongerMember)
        }
        let known = try endpoints(of: device, by: route)
        if route.isNear { try countNearDial(device) }
        let channel = try await dialler.race(known, credential: credential, signs: signs) {
            (try? await self.endpoints(of: device, by: route)) ?? []
        }
        if route.isNear { peers[device].dialTurns.nearSucceeded() }
        // The device may have been removed while it was dialled.
        guard !lifecycle.isStopping, !Task.isCancelled, isMember(device) else {
            channel.close()
            throw PeerLink.unavailable
        }
        return adopt(channel, from: device, dialler: identity.id, first: nil)
    }

    /// Waits until the other device has said hello on a dialled link. Returns another link if that
    /// link has replaced the dialled one. This happens if both devices dialled at once, or if only
    /// a link on another transport is left.
    private func readyLink(_ link: PeerLink, by route: Route) async throws -> PeerLink {
        var failure: (any Error)?
        do { try await link.waitUntilReady() } catch { failure = error }
        let same = peers.links[link.device, link.traits.kind].flatMap { $0 === link ? nil : $0 }
        if let other = same ?? (failure == nil ? nil : usableLinks(to: link.device, by: route).first { $0 !== link }) {
            try await other.waitUntilReady()
            return other
        }
        if let failure { throw failure }
        return link
    }

    /// Handles an accepted channel whose peer has proved its identity. The first frame states the
    /// channel's purpose.
    func accepted(_ channel: SecureChannel) async {
        if case .paired = channel.peer { return pairingSecured(channel) }
        do {
            let frame = try await channel.nextFrame(within: channels.patience.firstFrame)
            let purpose = ChannelPurpose(of: channel.peer, first: frame)
            // A trial stays pending until it closes.
            if purpose != .trial { channels.pendingChannels.left(channel.channel) }
            guard !lifecycle.isStopping else { return channel.close() }
            if case .member(let device) = channel.peer, !isMember(device) { throw ChannelFailure.refused }
            reached(by: channel)
            switch purpose {
            case .control(let device):
                try checkLinks(of: device)
                adopt(channel, from: device, dialler: device, first: frame)
            case .streams(let attach, let device): await attachStreams(attach, on: channel, from: device)
            case .trial:
                _ = try? await peers.probes.trials.exchange(on: channel, within: channels.patience.firstFrame)
            case .joining(let request, let invitation):
                try await admit(request, on: channel, invitation: invitation)
            case nil: throw ChannelFailure.violation("a channel begins with Hello, Attach, Join or Trial")
            }
        } catch {
            logger.debug("an accepted channel was closed: \(error)")
            trace.record(.connections, "refused", traced(channel.peer) + [TraceField(error)])
            channel.close()
        }
    }

    /// Throws if a device has too many links. A device without a link may always open one, so that
    /// other devices on its account cannot keep it out.
    private func checkLinks(of device: DeviceID) throws {
        let account = account(of: device)
        let own = peers.links.openCount { $0 == device }
        let all = peers.links.openCount { self.account(of: $0) == account }
        guard own == 0 || own < Self.maximumLinksPerDevice && all < Self.maximumLinksPerAccount else {
            throw ChannelFailure.violation("a device has too many control channels")
        }
    }

    /// Runs a link on a channel. If two links lead to a device over one transport, one of them
    /// drains.
    @discardableResult
    private func adopt(
        _ channel: SecureChannel, from device: DeviceID, dialler: DeviceID, first: Frame?
    ) -> PeerLink {
        var hello = helloForOne()
        hello.keepsLink = keeps(channel)
        let link = PeerLink(
            device: device, channel: channel, dialler: dialler, hello: hello, offer: toldOffer, clock: clock,
            logger: logger, delegate: self)
        link.open()
        lanOpened(link)
        let older = peers.links.open.filter {
            $0.device == device && $0.traits.kind == channel.transport && $0.traits.range == .network
        }
        let adoption = peers.links.adopt(link, at: identity.id)
        let replaced = if case .replaces(let links) = adoption { links } else { [PeerLink]() }
        for link in older { link.check() }
        for link in replaced { link.drain(.duplicate) }
        let isSurplus = if case .surplus = adoption { true } else { false }
        logger.debug("connected with \(name(of: device)), over \(channel.transport)")
        let direction = dialler == device ? "incoming" : "outgoing"
        let fields = [traced(device), .plain("transport", channel.transport.rawValue), .plain("direction", direction)]
        let span = trace.begin(.connections, "connection", fields)
        background.begin { [trace] in
            await link.run(first: first, draining: isSurplus ? .duplicate : nil)
            let failure = await channel.failure().map { [TraceField($0)] } ?? []
            await self.linkEnded(link)
            trace.end(span, .connections, "connection", fields + failure)
        }
        return link
    }

    /// Returns the hello that describes this device now. It names no type of a hidden activity.
    func hello() -> Hello {
        let beacon = advertising.advertiser?.current
        var table: [[UInt8]: ActivityTypeEntry] = [:]
        for entry in apps.registry.all where apps.isShown(entry) {
            guard let hash = advertising.keys.hash(of: entry)?.bytes else { continue }
            table[hash] = ActivityTypeEntry(hash: hash, team: entry.team, type: entry.state.activityType)
        }
        // The advertised type comes first, so that the limit never leaves it out.
        let offered = beacon?.offered?.bytes ?? []
        let others = table.keys.filter { $0 != offered }.sorted { $0.lexicographicallyPrecedes($1) }
        let types = ([offered] + others).compactMap { table[$0] }.prefix(Hello.maximumTypes)
        return Hello(
            name: store.state.name, unixTime: clock.unixTime, sequence: beacon?.sequence ?? 0,
            activity: beacon?.offered?.bytes, types: Array(types), endpoints: reachability.told,
            circle: store.encodedCircle)
    }

    /// Returns the hello for one device, and records that the other devices may still have an older
    /// hello.
    func helloForOne() -> Hello {
        let hello = hello()
        peers.helloPace.toldOne(hello)
        return hello
    }

    /// Sends this device's hello to the linked devices if it has changed. A change of an activity's
    /// contents, for example by typing, does not change the hello.
    func tellPeers() {
        refreshToldEndpoints()
        let isNews = peers.helloPace.tells(hello(), at: clock.uptime)
        schedule(.hello, at: peers.helloPace.deadline)
        if isNews { for link in peers.links.all { link.tell(helloForOne()) } }
        tellOffers()
    }

    /// Updates the endpoints that hellos state. The endpoints change as networks come and go, so
    /// this function runs before a hello is sent.
    func refreshToldEndpoints() {
        let endpoints = reachability.listeners.told
        if endpoints != reachability.told { peers.changeAll { $0.networkFailures = NetworkFailures() } }
        reachability.told = endpoints
    }

    func link(_ link: PeerLink, said hello: Hello) {
        guard isMember(link.device) else { return link.channel.close() }
        let told = transports.told(hello.endpoints)
        if told != peers[link.device].addresses.told(at: clock.uptime) {
            peers[link.device].networkFailures.moved()
        }
        peers[link.device].addresses.told(told, at: clock.uptime)
        if link.traits.range == .radio { peers[link.device].networkFailures.confirmedByRadio(at: clock.uptime) }
        lanTold(told, over: link)
        mergeCircle(hello.circle, from: link.device)
        // If the hello has taken its sender or this device out of the circle, the link ends.
        guard isMember(link.device) else { return link.channel.close() }
        let table = entries(of: hello.types.map { ActivityKind(team: $0.team, type: $0.type) })
        carryOut(sightings.book.learnt(types: table, from: link.device.short, at: clock.uptime))
        carryOut(
            sightings.book.hello(
                device: link.device.short, sequence: hello.sequence,
                activity: hello.activity.flatMap { ActivityHash(bytes: $0) }, at: clock.uptime))
        // The link may have been retired while this hello was handled, and no link may be left.
        if !peers.links.leads(to: link.device) { noLinkLeads(to: link.device) }
        learnClock(of: link.device, from: hello)
        tellAcceptances(over: link)
        peers.awaited.arrived(link.device)
        answerDials(with: link)
    }

    func link(_ link: PeerLink, serve request: Session.Request) async -> Result<Session.Reply, HandoffError> {
        switch request {
        case .activity(let hash): await handOver(hash, over: link).map(Session.Reply.activity)
        case .streams(let instance): await grantStreams(to: instance, over: link).map(Session.Reply.streams)
        case .probe: await probeReport(over: link).map(Session.Reply.probe)
        }
    }

    /// Completes the dials to a device with a link that is ready. When two devices dial each other
    /// at once, only one of the dials may succeed.
    private func answerDials(with link: PeerLink) {
        guard link.acceptsRequests else { return }
        for route in peers.dials.routes(to: link.device)
        where usableLinks(to: link.device, by: route).contains(where: { $0 === link }) {
            peers.dials.answered(.init(device: link.device, route: route), with: link)
            if route.isNear { peers[link.device].dialTurns.nearSucceeded() }
        }
    }

    private func linkEnded(_ link: PeerLink) async {
        peers.links.ended(link)
        let isLost = link.isLost
        carryOut(lan.ended(link.number, isLost: isLost, &store, at: moment))
        if isLost { redial(afterLossOf: link.device) }
        guard let failure = await link.channel.failure() else { return }
        logger.debug("the connection with \(name(of: link.device)) broke: \(failure)")
    }

    func linkRetired(_ link: PeerLink) {
        let older = peers.links.retire(link)
        self.link(link, offers: nil)
        guard isMember(link.device) else { return }
        peers[link.device].lastSeen = clock.unixTime
        if let older { catchUp(older) }
        if !peers.links.leads(to: link.device) { noLinkLeads(to: link.device) }
    }

    /// Sends this device's hello and offer over an older link. They may have changed while only a
    /// newer link was in use. The link sends the offer only after a hello has named its activity.
    private func catchUp(_ link: PeerLink) {
        link.tell(helloForOne())
        link.tell(toldOffer)
    }

    /// Lets a device's beacons count again, even if they contradict its last hello, because no link
    /// to the device is left.
    private func noLinkLeads(to device: DeviceID) {
        carryOut(sightings.book.linkEnded(to: device.short, at: clock.uptime))
    }
}
