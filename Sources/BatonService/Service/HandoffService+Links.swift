// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Logging
import TraceModel

/// Control channels to the circle's other devices.
extension HandoffService: PeerLinkDelegate {
    /// How many control channels a device may have open: one in use, and a few that drain.
    static let maximumLinksPerDevice = 8
    /// How many the devices of one account may have together (``Roster/accounts(besides:)``).
    static let maximumLinksPerAccount = 32

    /// Asks a device something. A link that ends, was about to, or has fallen silent before it has
    /// answered is replaced, by one on the same route.
    ///
    /// - Parameter deadline: The uptime at which the link must be there.
    /// - Throws: ``HandoffError``, `CancellationError`.
    func ask<Answer: Sendable>(
        _ device: DeviceID, by route: Route = .any, until deadline: Duration,
        _ question: @escaping @Sendable (PeerLink) async throws -> Answer
    ) async throws -> Answer {
        var begun = clock.uptime
        for _ in 0..<2 {
            let link = try await link(to: device, by: route, since: begun, until: deadline)
            do {
                return try await ask(link, question)
            } catch let error as HandoffError where error.code == .connectionUnavailable {
                // A link that goes on has brought the other device's own answer.
                if await link.acceptsRequests { throw error }
                begun = max(begun, link.channel.signs.latest)
            }
        }
        return try await ask(try await link(to: device, by: route, since: begun, until: deadline), question)
    }

    /// Asks over a link, and closes it when the other device has fallen silent.
    private func ask<Answer: Sendable>(
        _ link: PeerLink, _ question: @escaping @Sendable (PeerLink) async throws -> Answer
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await question(link) }
            group.addTask {
                try await link.becomesSilent()
                return nil
            }
            defer { group.cancelAll() }
            if let answer = try await group.next() ?? nil { return answer }
            logger.debug("\(link.device) has fallen silent")
            await link.fallSilent()
            throw PeerLink.unavailable
        }
    }

    /// A link, if there is one in time; a dial that is late goes on, for whoever asks next.
    ///
    /// - Parameter begun: The uptime from which the device's silence counts; nil for now.
    func link(
        to device: DeviceID, by route: Route, since begun: Duration? = nil, until deadline: Duration
    ) async throws -> PeerLink {
        if let link = await usableLink(to: device, by: route) { return link }
        let (begun, late) = (begun ?? clock.uptime, HandoffError(unreachableBy: ChannelFailure.timedOut))
        let dial = dial(device, by: route)
        return try await dial.waiters.value(
            unless: { try await dial.signs.silence(of: SilenceLimits.device, since: begun, until: deadline) },
            late: late)
    }

    /// A link to a device: the one there is, or a new one.
    ///
    /// - Throws: ``HandoffError``.
    func link(to device: DeviceID, by route: Route = .any) async throws -> PeerLink {
        if let link = await usableLink(to: device, by: route) { return link }
        return try await dial(device, by: route).waiters.value()
    }

    private func usableLink(to device: DeviceID, by route: Route) async -> PeerLink? {
        for link in usableLinks(to: device, by: route) where await link.acceptsRequests { return link }
        return nil
    }

    /// The dial under way to a device, or a new one.
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

    /// Dials a device until it has said hello. One whose link breaks before is dialled anew, once:
    /// its end may have come to nothing for reasons of the moment, and all who wait share the dial.
    private func dialLink(to device: DeviceID, by route: Route, _ signs: SignsOfLife) async throws -> PeerLink {
        do {
            return try await readyLink(try await connect(to: device, by: route, signs), by: route)
        } catch let error as HandoffError where error == PeerLink.unavailable && !Task.isCancelled {
            return try await readyLink(try await connect(to: device, by: route, signs), by: route)
        }
    }

    /// Has a channel to a device, with a link on it that has not begun.
    private func connect(to device: DeviceID, by route: Route, _ signs: SignsOfLife) async throws -> PeerLink {
        if lifecycle.isStopping { throw CancellationError() }
        guard let credential = keyring.credential(of: device) else {
            throw HandoffError(.connectionUnavailable, "that device is not in the circle any more")
        }
        let known = try endpoints(of: device, by: route)
        if route.isNear { try countNearDial(device) }
        let channel = try await dialler.race(known, credential: credential, signs: signs) {
            (try? await self.endpoints(of: device, by: route)) ?? []
        }
        if route.isNear { peers.directory.nearDialSucceeded(device) }
        // The device may have been removed while it was dialled.
        guard !lifecycle.isStopping, !Task.isCancelled, isMember(device) else {
            channel.close()
            throw PeerLink.unavailable
        }
        return adopt(channel, from: device, dialler: identity.id, first: nil)
    }

    /// A link that was dialled, once the other device has said hello; or another, which takes its
    /// place: the other device may have dialled at the same time, and its channel be the one that
    /// stays; or one of another transport is left.
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

    /// A channel that proved itself came in: its first frame says what for.
    func accepted(_ channel: SecureChannel) async {
        if case .paired = channel.peer { return pairingSecured(channel) }
        do {
            let frame = try await channel.nextFrame(within: channels.patience.firstFrame)
            let isTrial = if case (.member, .trial) = (channel.peer, frame) { true } else { false }
            if !isTrial { channels.pendingChannels.left(channel.channel) }
            guard !lifecycle.isStopping else { return channel.close() }
            if case .member(let device) = channel.peer, !isMember(device) { throw ChannelFailure.refused }
            reached(by: channel)
            if isTrial { return await answerTrial(on: channel) }
            switch (channel.peer, frame) {
            case (.invited(let invitation), .join(let request)):
                try await admit(request, on: channel, invitation: invitation)
            case (.member(let device), .hello):
                try checkLinks(of: device)
                adopt(channel, from: device, dialler: device, first: frame)
            case (.member(let device), .attach(let attach)):
                await attachStreams(attach, on: channel, from: device)
            default: throw ChannelFailure.violation("a channel begins with Hello, Attach, Join or Trial")
            }
        } catch {
            logger.debug("an accepted channel was closed: \(error)")
            trace.record(.connections, "refused", traced(channel.peer) + [TraceField(error)])
            channel.close()
        }
    }

    /// A device may always have one: others on its account, which it may not have taken in itself,
    /// keep it out of nothing.
    private func checkLinks(of device: DeviceID) throws {
        let account = account(of: device)
        let own = peers.links.openCount { $0 == device }
        let all = peers.links.openCount { self.account(of: $0) == account }
        guard own == 0 || own < Self.maximumLinksPerDevice && all < Self.maximumLinksPerAccount else {
            throw ChannelFailure.violation("a device has too many control channels")
        }
    }

    /// Runs a link on a channel; of two to the same device over the same transport one drains.
    @discardableResult
    private func adopt(
        _ channel: SecureChannel, from device: DeviceID, dialler: DeviceID, first: Frame?
    ) -> PeerLink {
        let link = PeerLink(
            device: device, channel: channel, dialler: dialler, hello: hello(), clock: clock, delegate: self)
        let adoption = peers.links.adopt(link, at: identity.id)
        if case .replaces(let older) = adoption {
            background.begin { for link in older { await link.drain(.duplicate) } }
        }
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

    /// What this device says of itself now.
    func hello() -> Hello {
        let beacon = advertising.advertiser?.current
        var table: [[UInt8]: ActivityTypeEntry] = [:]
        for entry in apps.registry.all {
            guard let hash = advertising.keys.hash(of: entry)?.bytes else { continue }
            table[hash] = ActivityTypeEntry(hash: hash, team: entry.team, type: entry.state.activityType)
        }
        // What is on the air comes first: no limit may leave it out.
        let offered = beacon?.offered?.bytes ?? []
        let others = table.keys.filter { $0 != offered }.sorted { $0.lexicographicallyPrecedes($1) }
        let types = ([offered] + others).compactMap { table[$0] }.prefix(Hello.maximumTypes)
        return Hello(
            name: store.state.name, unixTime: clock.unixTime, sequence: beacon?.sequence ?? 0,
            activity: beacon?.offered?.bytes, types: Array(types), endpoints: reachability.told,
            circle: store.encodedCircle)
    }

    /// Tells the devices in touch what has changed here, if anything has: what an app's user types
    /// is not worth a frame.
    func tellPeers() async {
        await refreshToldEndpoints()
        let hello = hello()
        let isNews = peers.helloPace.tells(hello, at: clock.uptime)
        schedule(.hello, at: peers.helloPace.deadline)
        guard isNews else { return }
        for link in peers.links.all { await link.tell(hello) }
    }

    func link(_ link: PeerLink, said hello: Hello) async {
        guard isMember(link.device) else { return link.channel.close() }
        let told = transports.told(hello.endpoints)
        if told != peers.directory.toldEndpoints(of: link.device, at: clock.uptime) {
            peers.networkFailures.moved(link.device)
        }
        peers.directory.told(link.device, told, at: clock.uptime)
        await mergeCircle(hello.circle, from: link.device)
        // What it says may have taken itself out, or this device: nothing more of the circle is for
        // it then.
        guard isMember(link.device) else { return link.channel.close() }
        let table = entries(of: hello.types.map { ActivityKind(team: $0.team, type: $0.type) })
        carryOut(sightings.book.learnt(types: table, from: link.device.short, at: clock.uptime))
        carryOut(
            sightings.book.hello(
                device: link.device.short, sequence: hello.sequence,
                activity: hello.activity.flatMap { ActivityHash(bytes: $0) }, at: clock.uptime))
        // It may have been the last of a link that has been given up.
        if !peers.links.leads(to: link.device) { noLinkLeads(to: link.device) }
        await learnClock(of: link.device, from: hello)
        await tellAcceptances(over: link)
        peers.awaited.arrived(link.device)
        await answerDials(with: link)
    }

    func link(_ link: PeerLink, serve request: Session.Request) async -> Result<Session.Reply, HandoffError> {
        switch request {
        case .activity(let hash): await handOver(hash, over: link).map(Session.Reply.activity)
        case .streams(let instance): await grantStreams(to: instance, over: link).map(Session.Reply.streams)
        case .probe: await probeReport(over: link).map(Session.Reply.probe)
        }
    }

    /// Two devices may dial each other at once, and only one of the dials be heard: who waits for
    /// the other goes on with this link.
    private func answerDials(with link: PeerLink) async {
        guard await link.acceptsRequests else { return }
        for route in peers.dials.routes(to: link.device)
        where usableLinks(to: link.device, by: route).contains(where: { $0 === link }) {
            peers.dials.answered(.init(device: link.device, route: route), with: link)
            if route.isNear { peers.directory.nearDialSucceeded(link.device) }
        }
    }

    private func linkEnded(_ link: PeerLink) async {
        peers.links.ended(link)
        if await link.isLost { redial(afterLossOf: link.device) }
        guard let failure = await link.channel.failure() else { return }
        logger.debug("the connection with \(name(of: link.device)) broke: \(failure)")
    }

    func linkRetired(_ link: PeerLink) {
        peers.links.retire(link)
        guard isMember(link.device) else { return }
        peers.directory.seen(link.device, at: clock.unixTime)
        if !peers.links.leads(to: link.device) { noLinkLeads(to: link.device) }
    }

    /// What is heard of a device counts again where it contradicts the last hello.
    private func noLinkLeads(to device: DeviceID) {
        carryOut(sightings.book.linkEnded(to: device.short, at: clock.uptime))
    }
}
