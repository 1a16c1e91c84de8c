// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging
import Synchronization

/// The service behind a link, which the link asks and notifies.
protocol PeerLinkDelegate: AnyObject, Sendable {
    func link(_ link: PeerLink, said hello: Hello) async
    func link(_ link: PeerLink, serve request: Session.Request) async -> Result<Session.Reply, HandoffError>
    func link(_ link: PeerLink, continued acceptance: Acceptance, outcome: Session.ContinueOutcome) async
    /// Handles the peer's acceptance of an activity that it fetched over another link.
    func link(_ link: PeerLink, acceptedElsewhere acceptance: Acceptance) async
    /// Keeps an acceptance that the peer perhaps has not received.
    func link(_ link: PeerLink, lost acceptance: Acceptance) async
    /// Handles the peer's request for another channel for streams.
    func link(_ link: PeerLink, wants reattach: Reattach) async
    /// Handles the activity that the peer offers over the link; nil for none.
    func link(_ link: PeerLink, offers offer: LinkOffer?) async
    /// Called when the link accepts no more requests.
    func linkRetired(_ link: PeerLink) async
}

/// One control channel to a device of the circle, which carries out a ``Session``.
///
/// Each call that changes the session takes effect before it returns, so the frames of two calls
/// leave in the order of the calls.
final class PeerLink: DialledLink, Sendable {
    private typealias Waiter = CheckedContinuation<Session.Reply, any Error>
    private typealias Answer = (waiter: Waiter, result: Result<Session.Reply, any Error>)

    private struct State {
        var session: Session
        var nextRequest: UInt64 = 0
        /// The tasks that wait for a reply, by the numbers of their requests.
        var asking: [UInt64: Waiter] = [:]
        /// The tasks that wait until the peer's offer is confirmed; nil for none.
        var confirmation: Waiters<Void>?
        var alarm = Alarm()
        /// Whether the peer closes its channels because its daemon is stopping.
        var isPeerStopping = false
        /// Whether the channel ended although neither side had said goodbye.
        var isLost = false
    }

    let device: DeviceID
    let channel: SecureChannel
    let dialler: DeviceID
    private let clock: any DeviceClock
    private let logger: Logger
    private let delegate: any PeerLinkDelegate
    private let state: Mutex<State>
    /// Resolved when the peer has said hello, and thereby accepted this device.
    private let ready = Waiters<Void>()
    private let over = Waiters<Void>()

    init(
        device: DeviceID, channel: SecureChannel, dialler: DeviceID, hello: Hello, offer: LinkOffer? = nil,
        clock: any DeviceClock, logger: Logger, delegate: any PeerLinkDelegate
    ) {
        self.device = device
        self.channel = channel
        self.dialler = dialler
        self.clock = clock
        self.logger = logger
        self.delegate = delegate
        state = Mutex(State(session: Session(hello: hello, offer: offer)))
    }

    var traits: TransportTraits { channel.traits }

    /// A number that no other link has while this link exists.
    var number: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) }

    var session: Session { state.withLock(\.session) }

    /// Whether new requests may use the link.
    var acceptsRequests: Bool { state.withLock(\.session.acceptsRequests) }

    /// Whether both sides keep the link open while nothing is requested.
    var isKept: Bool { state.withLock(\.session.isKept) }

    /// Whether the channel ended although neither side had said goodbye.
    var isLost: Bool { state.withLock(\.isLost) }

    /// Whether ``run(first:draining:)`` has ended.
    var isOver: Bool { over.isResolved }

    /// Starts the session, which then sends this device's hello. This is the first call.
    func open() { pass(.opened) }

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
        if let first { await handle(.received(first)) }
        if let draining { await handle(.drain(draining)) }
        for await frame in frames {
            if case .goodbye(let goodbye) = frame, goodbye.reason == .shutdown {
                state.withLock { $0.isPeerStopping = true }
            }
            await handle(.received(frame))
        }
        await blameBrokenRule()
        await channelClosed()
        state.withLock { $0.alarm.clear() }
        ready.resolve(with: .failure(Self.unavailable))
        offerConfirmed()
        await delegate.linkRetired(self)
        over.resolve(with: .success(()))
    }

    /// Fails the waiting requests with a final error if the peer broke a rule of the protocol,
    /// because trying again would not help.
    private func blameBrokenRule() async {
        guard let failure = await channel.failure() as? ChannelFailure, case .violation = failure else { return }
        let error = HandoffError(.handoffFailed, .notUnderstood, cause: "\(failure)")
        let waiters = state.withLock { state in
            defer { state.asking = [:] }
            return state.asking.values.map(\.self)
        }
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    /// Returns once the peer has said hello, and thereby accepted this device. Throws if the link
    /// ends first.
    func waitUntilReady() async throws { try await ready.value() }

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
            report(request, accepted: false)
        } catch let error as HandoffError where error.code == .noSuchActivity {}
    }

    var isSilent: Bool {
        clock.uptime - channel.signs.latest >= SilenceLimits.doubt + SilenceLimits.certainty
    }

    /// Returns the peer's answer to a question. If the peer falls silent before it answers, closes
    /// the link.
    ///
    /// - Throws: The question's errors; ``unavailable`` when the peer has fallen silent.
    func answer<Value: Sendable>(
        to question: @escaping @Sendable (PeerLink) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await question(self) }
            group.addTask {
                try await self.becomesSilent()
                return nil
            }
            defer { group.cancelAll() }
            if let answer = try await group.next() ?? nil { return answer }
            logger.debug("\(device) has fallen silent")
            await fallSilent()
            throw Self.unavailable
        }
    }

    /// Returns once the other device has been silent even after a ping.
    ///
    /// The silence lasts ``SilenceLimits/doubt`` before the ping and ``SilenceLimits/certainty``
    /// after it.
    ///
    /// - Throws: `CancellationError`.
    private func becomesSilent() async throws {
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
    private func fallSilent() async {
        channel.close()
        await channelClosed()
        await delegate.linkRetired(self)
    }

    private func channelClosed() async {
        await handle(.closed) { state in
            state.isLost = state.isLost || state.session.acceptsRequests
            return []
        }
    }

    /// Reports to the peer whether this device's app took the activity over.
    func report(_ request: UInt64, accepted: Bool) { pass(.reportContinued(id: request, accepted: accepted)) }

    /// Tells the peer that this device's app took over an activity that was fetched over an earlier
    /// link.
    ///
    /// - Returns: False if the link accepts nothing new, because it drains or has ended.
    @discardableResult
    func tell(_ acceptance: Acceptance) -> Bool { passAsRequest(.tellAcceptance(acceptance)) }

    /// Asks the peer to attach another channel to streams.
    func tell(_ reattach: Reattach) { pass(.tellReattach(reattach)) }

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
        let deadline = clock.uptime + timeout
        let id = state.withLock { state in
            state.nextRequest += 1
            return state.nextRequest
        }
        let reply = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                pass(.ask(id: id, request, deadline: deadline)) { state in
                    state.asking[id] = continuation
                    return []
                }
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        guard let value = value(reply) else { throw Self.unavailable }
        return (id, value)
    }

    private func cancel(_ id: UInt64) {
        pass(.cancel(id: id)) { state in
            state.asking.removeValue(forKey: id).map { [($0, .failure(CancellationError()))] } ?? []
        }
    }

    /// Sends the peer a changed hello.
    func tell(_ hello: Hello) { pass(.helloChanged(hello)) }

    /// Sends the peer this device's current activity, if both sides keep the link.
    func tell(_ offer: LinkOffer) { pass(.offerChanged(offer)) }

    /// Sets whether this side keeps the link open while nothing is requested.
    func keep(_ keepsLink: Bool) { pass(.keepsLinkChanged(keepsLink)) }

    /// Checks whether the peer still answers. If it does not, the link closes within seconds.
    func check() { pass(.check) }

    /// Returns once it is known whether the peer's offer is still valid, after at most 2 s.
    func confirmOffer() async {
        let confirmation: Waiters<Void>? = state.withLock { state in
            guard state.session.peerOffer != nil else { return nil }
            let confirmation = state.confirmation ?? Waiters()
            state.confirmation = confirmation
            return confirmation
        }
        guard let confirmation else { return }
        pass(.confirmOffer)
        try? await confirmation.value()
    }

    private func offerConfirmed() {
        let confirmation = state.withLock { state in
            defer { state.confirmation = nil }
            return state.confirmation
        }
        confirmation?.resolve(with: .success(()))
    }

    /// Tells the peer that this device leaves the circle, and waits for the end of the link.
    ///
    /// A peer that receives the farewell removes this device and closes the channel (Circle.md).
    ///
    /// - Parameter deadline: The uptime at which this side closes the link.
    /// - Returns: False if the peer was late, or may have stopped before it read the farewell.
    /// - Throws: ``HandoffError`` if the link ended before the farewell, or broke;
    ///   `CancellationError`.
    func sayFarewell(_ hello: Hello, before deadline: Duration) async throws -> Bool {
        guard passAsRequest(.helloChanged(hello)) else { throw Self.unavailable }
        async let _: Void = close(at: deadline)
        try await over.value()
        guard await channel.failure() == nil else { throw Self.unavailable }
        return !state.withLock(\.isPeerStopping) && clock.uptime < deadline
    }

    private func close(at deadline: Duration) async {
        if (try? await clock.sleep(until: deadline)) != nil { channel.close() }
    }

    /// Ends the link once no request is outstanding.
    func drain(_ reason: Goodbye.Reason) { pass(.drain(reason)) }

    static let unavailable = HandoffError(.connectionUnavailable, .connectionBroke)

    /// Handles an event of this device. Does not wait for the service.
    private func pass(_ event: Session.Event, with change: (inout State) -> [Answer] = { _ in [] }) {
        consultLater(process(event, with: change) ?? [])
    }

    /// Handles an event of this device if the link takes new requests. Returns whether it does.
    private func passAsRequest(_ event: Session.Event) -> Bool {
        guard let actions = process(event, if: \.acceptsRequests) else { return false }
        consultLater(actions)
        return true
    }

    /// Handles an event from the peer. Returns when the service has handled its effects, so that
    /// the peer cannot send faster than that.
    private func handle(_ event: Session.Event, with change: (inout State) -> [Answer] = { _ in [] }) async {
        for action in process(event, with: change) ?? [] { await consult(action) }
    }

    private func consultLater(_ actions: [Session.Action]) {
        guard !actions.isEmpty else { return }
        Task { for action in actions { await consult(action) } }
    }

    /// Handles an event and performs the actions that do not need the service.
    ///
    /// These actions happen at once, so that frames leave in the order in which the ``Session``
    /// asks for them. The waiting tasks are resumed without the lock, because a task that is being
    /// cancelled cannot be resumed, and its cancellation takes the lock.
    ///
    /// - Parameters:
    ///   - isAllowed: Whether the event is allowed in the session's present state.
    ///   - change: A change of the state that takes effect together with the event. It returns the
    ///     tasks to resume.
    /// - Returns: The other actions; nil if the event is not allowed.
    private func process(
        _ event: Session.Event, if isAllowed: (Session) -> Bool = { _ in true },
        with change: (inout State) -> [Answer] = { _ in [] }
    ) -> [Session.Action]? {
        let (actions, answers) = state.withLock { state -> ([Session.Action]?, [Answer]) in
            guard isAllowed(state.session) else { return (nil, []) }
            var answers = change(&state)
            let actions = state.session.handle(event, at: clock.uptime)
            state.alarm.set(to: state.session.deadline, clock) { await self.alarmWentOff() }
            return (actions.filter { !perform($0, &state, &answers) }, answers)
        }
        for answer in answers { answer.waiter.resume(with: answer.result) }
        return actions
    }

    /// Performs an action, and returns true, unless the action needs the service.
    private func perform(_ action: Session.Action, _ state: inout State, _ answers: inout [Answer]) -> Bool {
        switch action {
        case .send(let frame): channel.send(frame)
        case .close(let reason):
            state.isLost = state.isLost || reason == .silent
            channel.close()
        case .replied(let id, let result):
            if let waiter = state.asking.removeValue(forKey: id) {
                answers.append((waiter, result.mapError { $0 as any Error }))
            }
        default: return false
        }
        return true
    }

    private func consult(_ action: Session.Action) async {
        switch action {
        case .peerHello(let hello):
            await delegate.link(self, said: hello)
            ready.resolve(with: .success(()))
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
        case .draining: await delegate.linkRetired(self)
        case .offer(let offer): await delegate.link(self, offers: offer)
        case .offerConfirmed: offerConfirmed()
        default: break
        }
    }

    private func alarmWentOff() async {
        state.withLock { $0.alarm.wentOff() }
        await handle(.bytesArrived(at: channel.signs.latest))
        await handle(.time)
    }
}
