// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis

/// The service behind a link, which the link asks and notifies.
protocol PeerLinkDelegate: AnyObject, Sendable {
    func link(_ link: PeerLink, said hello: Hello) async
    func link(_ link: PeerLink, serve request: Session.Request) async -> Result<Session.Reply, HandoffError>
    func link(_ link: PeerLink, continued acceptance: Acceptance, outcome: Session.ContinueOutcome) async
    /// Handles the peer's acceptance of an activity that it fetched over another link.
    func link(_ link: PeerLink, acceptedElsewhere acceptance: Acceptance) async
    /// Keeps an acceptance that the peer may not have received.
    func link(_ link: PeerLink, lost acceptance: Acceptance) async
    /// Handles the peer's request for another channel for streams.
    func link(_ link: PeerLink, wants reattach: Reattach) async
    /// Handles the activity that the peer offers over the link; nil for none.
    func link(_ link: PeerLink, offers offer: LinkOffer?) async
    /// Called when the link takes no more requests.
    func linkRetired(_ link: PeerLink) async
}

/// One control channel to a device of the circle, which carries out a ``Session``.
actor PeerLink: DialledLink {
    nonisolated let device: DeviceID
    nonisolated let channel: SecureChannel
    nonisolated var traits: TransportTraits { channel.traits }
    nonisolated let dialler: DeviceID
    private let clock: any DeviceClock
    private let delegate: any PeerLinkDelegate

    private(set) var session: Session
    private var nextRequest: UInt64 = 0
    /// The tasks that wait for a reply, by the numbers of their requests.
    private var asking: [UInt64: CheckedContinuation<Session.Reply, any Error>] = [:]
    private var ready: [CheckedContinuation<Void, any Error>] = []
    private var readiness: Result<Void, any Error>?
    private var alarm = Alarm()
    /// Whether the peer closes its channels because its daemon is stopping.
    private var isPeerStopping = false
    private(set) var isOver = false
    /// Whether the channel ended although neither side had said goodbye.
    private(set) var isLost = false
    private var whenOver: [CheckedContinuation<Void, Never>] = []
    private var confirming: [CheckedContinuation<Void, Never>] = []

    init(
        device: DeviceID, channel: SecureChannel, dialler: DeviceID, hello: Hello, offer: LinkOffer? = nil,
        clock: any DeviceClock, delegate: any PeerLinkDelegate
    ) {
        self.device = device
        self.channel = channel
        self.dialler = dialler
        self.clock = clock
        self.delegate = delegate
        session = Session(hello: hello, offer: offer)
    }

    /// A number that no other link has while this link exists.
    nonisolated var number: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) }

    /// Whether new requests may use the link.
    var acceptsRequests: Bool { session.acceptsRequests }

    /// Runs the link until its channel has closed.
    ///
    /// - Parameters:
    ///   - first: The frame with which the peer opened the channel, on the accepting side.
    ///   - draining: The reason to drain the link right after its beginning, or nil not to drain
    ///     it.
    func run(first: Frame?, draining: Goodbye.Reason? = nil) async {
        // Begin to receive now, so that frames that arrive while the first frame is handled wait in
        // `frames`.
        let frames = channel.frames()
        await handle(.opened)
        if let first { await handle(.received(first)) }
        if let draining { await handle(.drain(draining)) }
        for await frame in frames {
            if case .goodbye(let goodbye) = frame, goodbye.reason == .shutdown { isPeerStopping = true }
            await handle(.received(frame))
        }
        await blameBrokenRule()
        await channelClosed()
        alarm.clear()
        settle(.failure(Self.unavailable))
        offerConfirmed()
        await delegate.linkRetired(self)
        isOver = true
        for waiter in whenOver { waiter.resume() }
        whenOver = []
    }

    /// Fails the waiting requests with a final error if the peer broke a rule of the protocol,
    /// because trying again would not help.
    private func blameBrokenRule() async {
        guard let failure = await channel.failure() as? ChannelFailure, case .violation = failure else { return }
        let error = HandoffError(.handoffFailed, .notUnderstood, cause: "\(failure)")
        for waiter in asking.values { waiter.resume(throwing: error) }
        asking = [:]
    }

    /// Returns once the peer has said hello, and thereby accepted this device. Throws if the link
    /// ends first.
    func waitUntilReady() async throws {
        if let readiness { return try readiness.get() }
        try await withCheckedThrowingContinuation { ready.append($0) }
    }

    /// Fetches the activity with a hash. The caller must call ``report(_:accepted:)`` afterwards.
    func continueActivity(
        _ activity: [UInt8], timeout: Duration
    ) async throws -> (request: UInt64, grant: ContinueGrant) {
        try await ask(.activity(activity), timeout: timeout) { $0.activity }
    }

    /// Returns once the peer has answered a request for an activity that does not exist.
    ///
    /// The peer answers such a request at once, and the request has no other effect (Session.md,
    /// "Ping").
    func ping(timeout: Duration) async throws {
        do {
            let (request, _) = try await continueActivity(ActivityHash.none.bytes, timeout: timeout)
            await report(request, accepted: false)
        } catch let error as HandoffError where error.code == .noSuchActivity {}
    }

    nonisolated var isSilent: Bool {
        clock.uptime - channel.signs.latest >= SilenceLimits.doubt + SilenceLimits.certainty
    }

    /// Returns once the other device has been silent even after a ping.
    ///
    /// The silence lasts ``SilenceLimits/doubt`` before the ping and ``SilenceLimits/certainty``
    /// after it.
    ///
    /// - Throws: `CancellationError`.
    nonisolated func becomesSilent() async throws {
        let begun = clock.uptime
        while true {
            try await channel.signs.silence(of: SilenceLimits.doubt, since: begun)
            let (last, deadline) = (channel.signs.latest, clock.uptime + SilenceLimits.certainty)
            async let answer: Void? = try? ping(timeout: SilenceLimits.certainty)
            try await clock.sleep(until: deadline)
            guard channel.signs.latest > last else { return }
            _ = await answer
        }
    }

    /// Closes the link at once. The link's outstanding requests fail, and another link may take its
    /// place.
    func fallSilent() async {
        channel.close()
        await channelClosed()
        await delegate.linkRetired(self)
    }

    private func channelClosed() async {
        isLost = isLost || session.acceptsRequests
        await handle(.closed)
    }

    /// Reports to the peer whether this device's app took the activity over.
    func report(_ request: UInt64, accepted: Bool) async {
        await handle(.reportContinued(id: request, accepted: accepted))
    }

    /// Tells the peer that this device's app took over an activity that was fetched over an earlier
    /// link.
    ///
    /// - Returns: False if the link takes nothing new, because it drains or has ended.
    @discardableResult
    func tell(_ acceptance: Acceptance) async -> Bool {
        guard session.acceptsRequests else { return false }
        await handle(.tellAcceptance(acceptance))
        return true
    }

    /// Asks the peer to attach another channel to streams.
    func tell(_ reattach: Reattach) async { await handle(.tellReattach(reattach)) }

    /// Requests streams to an activity that was continued.
    func openStreams(to instance: [UInt8], timeout: Duration) async throws -> StreamGrant {
        try await ask(.streams(instance), timeout: timeout) { $0.streams }.1
    }

    /// Asks how well the peer hears this device, and how the peer reaches this device.
    func probe(timeout: Duration) async throws -> ProbeReport {
        try await ask(.probe, timeout: timeout) { $0.probe }.1
    }

    /// Sends a request and waits for the reply.
    ///
    /// - Returns: The number of the request, and the value that `value` finds in the reply.
    private func ask<Value>(
        _ request: Session.Request, timeout: Duration, value: (Session.Reply) -> Value?
    ) async throws -> (UInt64, Value) {
        nextRequest += 1
        let (id, deadline) = (nextRequest, clock.uptime + timeout)
        let reply = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                asking[id] = continuation
                enqueue(.ask(id: id, request, deadline: deadline))
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
        guard let value = value(reply) else { throw Self.unavailable }
        return (id, value)
    }

    /// Sends the peer a changed hello.
    func tell(_ hello: Hello) async { await handle(.helloChanged(hello)) }

    /// Sends the peer this device's current activity, if both sides keep the link.
    func tell(_ offer: LinkOffer) async { await handle(.offerChanged(offer)) }

    /// Sets whether this side keeps the link open while nothing is requested.
    func keep(_ keepsLink: Bool) async { await handle(.keepsLinkChanged(keepsLink)) }

    /// Checks whether the peer still answers. If it does not, the link closes within seconds.
    func check() async { await handle(.check) }

    /// Returns once it is known whether the peer's offer is still valid, after 2 s at most.
    func confirmOffer() async {
        guard session.peerOffer != nil else { return }
        await withCheckedContinuation { confirmation in
            confirming.append(confirmation)
            Task { await self.handle(.confirmOffer) }
        }
    }

    private func offerConfirmed() {
        for waiter in confirming { waiter.resume() }
        confirming = []
    }

    /// Tells the peer that this device leaves the circle, and waits for the end of the link.
    ///
    /// A peer that receives the farewell removes this device and closes the channel (Circle.md).
    ///
    /// - Returns: False if the peer may have stopped before it read the farewell.
    /// - Throws: ``HandoffError`` if the link ended before the farewell, or broke.
    func sayFarewell(_ hello: Hello) async throws -> Bool {
        guard session.acceptsRequests else { throw Self.unavailable }
        await tell(hello)
        if !isOver { await withCheckedContinuation { whenOver.append($0) } }
        guard await channel.failure() == nil else { throw Self.unavailable }
        return !isPeerStopping
    }

    /// Ends the link once no request is outstanding.
    func drain(_ reason: Goodbye.Reason) async { await handle(.drain(reason)) }

    static let unavailable = HandoffError(.connectionUnavailable, .connectionBroke)

    private func cancel(_ id: UInt64) async {
        await handle(.cancel(id: id))
        asking.removeValue(forKey: id)?.resume(throwing: CancellationError())
    }

    private func enqueue(_ event: Session.Event) {
        for action in process(event) { Task { await self.consult(action) } }
    }

    private func handle(_ event: Session.Event) async {
        for action in process(event) { await consult(action) }
    }

    /// Handles an event and performs the actions that do not need the service.
    ///
    /// These actions happen at once, so that frames leave in the order in which the ``Session``
    /// asks for them. Returns the other actions.
    private func process(_ event: Session.Event) -> [Session.Action] {
        let actions = session.handle(event, at: clock.uptime)
        setAlarm()
        return actions.filter { action in
            switch action {
            case .send(let frame): channel.send(frame)
            case .close(let reason):
                isLost = isLost || reason == .silent
                channel.close()
            case .replied(let id, let result):
                asking.removeValue(forKey: id)?.resume(with: result.mapError { $0 as any Error })
            default: return true
            }
            return false
        }
    }

    private func consult(_ action: Session.Action) async {
        switch action {
        case .peerHello(let hello):
            await delegate.link(self, said: hello)
            settle(.success(()))
        case .serve(let id, let request):
            Task {
                let result = await delegate.link(self, serve: request)
                await self.handle(.served(id: id, result: result))
            }
        case .continued(let acceptance, let outcome):
            await delegate.link(self, continued: acceptance, outcome: outcome)
        case .acceptedElsewhere(let acceptance): await delegate.link(self, acceptedElsewhere: acceptance)
        case .reattach(let reattach): await delegate.link(self, wants: reattach)
        case .acceptanceLost(let acceptance): await delegate.link(self, lost: acceptance)
        case .draining:
            await delegate.linkRetired(self)
        case .offer(let offer): await delegate.link(self, offers: offer)
        case .offerConfirmed: offerConfirmed()
        default: break
        }
    }

    private func settle(_ result: Result<Void, any Error>) {
        guard readiness == nil else { return }
        readiness = result
        for waiter in ready { waiter.resume(with: result) }
        ready = []
    }

    private func setAlarm() {
        alarm.set(to: session.deadline, clock) { await self.alarmWentOff() }
    }

    private func alarmWentOff() async {
        alarm.wentOff()
        await handle(.bytesArrived(at: channel.signs.latest))
        await handle(.time)
    }
}
