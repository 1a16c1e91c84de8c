// SPDX-License-Identifier: Apache-2.0

/// The state of one control channel between two authenticated devices.
///
/// A session knows which hellos were sent, which requests are unfinished, and which reports are
/// due. It is a state machine without I/O: it takes events, and returns actions to be carried out
/// in order. Times are uptimes, not times of the wall clock. `Documentation/Protocol/Session.md`
/// has the table of messages and states.
public struct Session: Sendable {
    /// An event for a session.
    public enum Event: Hashable, Sendable {
        /// TLS is ready.
        ///
        /// On the accepting side, the dialler's first frame was a hello, which follows as
        /// ``received(_:)``.
        case opened
        /// The peer sent a frame.
        case received(Frame)
        /// This device's own hello has changed.
        case helloChanged(Hello)
        /// Ask the peer. `id` is new to this session, and `deadline` is an uptime.
        case ask(id: UInt64, Request, deadline: Duration)
        /// The local app accepted or declined an activity from ``Action/replied(id:result:)``.
        ///
        /// This event may come after the channel has closed.
        case reportContinued(id: UInt64, accepted: Bool)
        /// Tell the peer that the local app accepted an activity from a channel that has ended.
        case tellAcceptance(Acceptance)
        /// Ask the peer to attach another channel to a pair of streams.
        case tellReattach(Reattach)
        /// The answer to ``Action/serve(id:_:)``.
        case served(id: UInt64, result: Result<Reply, HandoffError>)
        /// The caller no longer waits for a reply.
        case cancel(id: UInt64)
        /// End this channel once all requests are finished.
        case drain(Goodbye.Reason)
        /// This device began or ceased to keep this channel open while nothing is requested.
        case keepsLinkChanged(Bool)
        /// This device's current activity has changed. The activity is sent to the peer while the
        /// link is kept.
        case offerChanged(LinkOffer)
        /// Check whether the peer still answers.
        case check
        /// An app, the user or a rule wants to use the peer's offer now. If the peer was silent for
        /// long, check whether it still answers.
        case confirmOffer
        /// Bytes from the peer arrived at an uptime, possibly only a part of a frame.
        case bytesArrived(at: Duration)
        /// ``Session/deadline`` has passed.
        case time
        /// The channel is closed.
        case closed
    }

    /// An action for the caller.
    public enum Action: Hashable, Sendable {
        /// Send a frame to the peer.
        case send(Frame)
        /// The peer said hello, for the first time or again.
        case peerHello(Hello)
        /// Answer the peer's request with ``Event/served(id:result:)``.
        case serve(id: UInt64, Request)
        /// The result of ``Event/ask(id:_:deadline:)``.
        case replied(id: UInt64, result: Result<Reply, HandoffError>)
        /// The outcome of an activity that this side handed over.
        case continued(Acceptance, outcome: ContinueOutcome)
        /// The peer's app accepted an activity from another channel, which has ended or will end.
        case acceptedElsewhere(Acceptance)
        /// The peer asks this side to attach another channel to a pair of streams.
        case reattach(Reattach)
        /// The peer perhaps does not know that the local app accepted an activity.
        ///
        /// Tell the peer once over another channel, with ``Event/tellAcceptance(_:)``.
        case acceptanceLost(Acceptance)
        /// This channel takes no new requests. Dial another channel for new requests.
        case draining(Goodbye.Reason)
        /// The peer's offer over this link has changed; `nil` for none.
        case offer(LinkOffer?)
        /// The answer to ``Event/confirmOffer``: ``Session/peerOffer`` is up to date now.
        case offerConfirmed
        /// Close the channel after everything sent was flushed.
        case close(CloseReason)
    }

    /// The outcome of an activity that was handed over, as far as this channel knows.
    public enum ContinueOutcome: Hashable, Sendable {
        /// The peer's app took the activity over.
        case accepted
        /// The app did not take the activity over in time, or the request was cancelled.
        case declined
        /// The channel ended, or the peer said goodbye, before the peer reported the outcome.
        case unreported
    }

    /// The reason why a session closes its channel.
    public enum CloseReason: Hashable, Sendable {
        /// Both sides said goodbye.
        case drained
        /// The peer sent a frame that is not allowed in this state.
        case unexpected(String)
        /// The peer has more unfinished requests than allowed.
        case tooManyRequests
        /// The peer did not say hello in time.
        case helloTimedOut
        /// The goodbyes were not complete in time.
        case drainTimedOut
        /// The peer sends more offers than allowed.
        case tooManyOffers
        /// The peer did not answer a check in time.
        case silent
    }

    enum Phase: Hashable, Sendable {
        case new
        case awaitingHello(deadline: Duration)
        case ready
        case closed
    }

    enum LocalRequest: Hashable, Sendable {
        case waiting(Kind, deadline: Duration)
        /// The caller no longer waits for the reply, but the reply will still come.
        case abandoned(Kind)
        /// The reply was delivered, and the peer must learn whether the app accepted.
        case owesContinued(Acceptance, deadline: Duration)
    }

    enum PeerRequest: Hashable, Sendable {
        case serving(Kind, deadline: Duration)
        case awaitsContinued(Acceptance, deadline: Duration)
        /// The report did not come in time. The peer may still send the report, but it no longer
        /// matters.
        case overdue
    }

    let limits: Limits
    var hello: Hello
    var phase = Phase.new
    var localRequests: [UInt64: LocalRequest] = [:]
    var peerRequests: [UInt64: PeerRequest] = [:]
    /// The acceptances that were sent and perhaps have not arrived, the newest last.
    ///
    /// An acceptance is reported as lost if the session ends within ``Limits/report`` after it was
    /// sent.
    var toldAcceptances: [(acceptance: Acceptance, until: Duration)] = []
    var lastActivity = Duration.zero
    var keeping: LinkKeeping
    /// The uptime at which this side may send a whole burst of Reattach frames again.
    var reattachesRestored: Duration?
    /// The uptime from which this side accepts a whole burst of the peer's Reattach frames again.
    var peerReattachesRestored: Duration?
    /// The reason and the deadline of draining, during which this side makes no new requests; nil
    /// before.
    var draining: (reason: Goodbye.Reason, deadline: Duration)?
    var saidGoodbye = false
    var peerSaidGoodbye = false

    /// The peer's last hello.
    public internal(set) var peerHello: Hello?

    /// Creates a session that has not begun.
    ///
    /// - Parameters:
    ///   - hello: This device's hello, which must pass ``Hello/check()``.
    ///   - offer: This device's current activity, which is sent to the peer while the link is kept.
    public init(hello: Hello, offer: LinkOffer? = nil, limits: Limits = Limits()) {
        self.hello = hello
        self.limits = limits
        keeping = LinkKeeping(offer: offer)
    }

    /// Whether this side may make new requests: not before the start, and not while draining.
    public var acceptsRequests: Bool {
        switch phase {
        case .awaitingHello, .ready: draining == nil
        case .new, .closed: false
        }
    }

    /// Whether the session is closed. A closed session fails new requests, and reports an
    /// acceptance as lost.
    public var isClosed: Bool { phase == .closed }

    /// The uptime at which ``Event/time`` is due; `nil` if the session waits for nothing.
    public var deadline: Duration? {
        guard phase != .new, phase != .closed else { return nil }
        var earliest = draining?.deadline ?? idleDeadline
        func consider(_ deadline: Duration) { earliest = min(earliest ?? deadline, deadline) }
        if case .awaitingHello(let deadline) = phase { consider(deadline) }
        for request in localRequests.values { request.deadline.map(consider) }
        for request in peerRequests.values { request.deadline.map(consider) }
        keepingDeadline.map(consider)
        return earliest
    }

    /// The uptime at which the channel is drained because nothing is requested. It is `nil` while
    /// requests are unfinished or the link is kept, and if the channel is not ready or drains
    /// already.
    var idleDeadline: Duration? {
        guard phase == .ready, draining == nil, !isKept, !hasOutstandingLocalRequests,
            peerRequests.values.allSatisfy({ $0.deadline == nil })
        else { return nil }
        return lastActivity + limits.idle
    }

    var hasOutstandingLocalRequests: Bool { localRequests.values.contains { $0.deadline != nil } }

    /// Processes an event, and returns the actions that follow.
    ///
    /// Carry out all actions in order before the next event.
    ///
    /// - Parameter now: The present uptime.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        if phase == .closed { return handleAfterEnd(event) }
        toldAcceptances.removeAll { $0.until <= now }
        var actions: [Action]
        switch event {
        case .opened: actions = open(at: now)
        case .received(let frame): actions = receive(frame, at: now)
        case .helloChanged(let hello): actions = change(hello)
        case .keepsLinkChanged(let keepsLink): actions = change(keepsLink: keepsLink)
        case .offerChanged(let offer):
            keeping.offer = offer
            actions = []
        case .check: actions = check(at: now)
        case .confirmOffer: actions = confirmOffer(at: now)
        case .bytesArrived(let uptime): actions = uptime > keeping.lastHeard ? heard(at: uptime) : []
        case .ask(let id, let request, let deadline): actions = ask(id, request, deadline: deadline)
        case .reportContinued(let id, let accepted): actions = reportContinued(id, accepted: accepted, at: now)
        case .tellAcceptance(let acceptance): actions = tellAcceptance(acceptance)
        case .tellReattach(let reattach): actions = tellReattach(reattach, at: now)
        case .cancel(let id): actions = cancel(id, at: now)
        case .served(let id, let result): actions = served(id, result, at: now)
        case .drain(let reason): actions = drain(reason, at: now)
        case .time: actions = expire(at: now)
        case .closed: actions = end()
        }
        actions += keptLinkActions(at: now)
        if actions.contains(where: \.isSending) { lastActivity = now }
        actions += sayGoodbyeIfDone()
        return actions
    }
}

extension Session.LocalRequest {
    var deadline: Duration? {
        switch self {
        case .waiting(_, let deadline), .owesContinued(_, let deadline): deadline
        case .abandoned: nil
        }
    }
}

extension Session.LocalRequest {
    /// Whether the peer must still learn of the app's decision.
    var isOwed: Bool {
        if case .owesContinued = self { true } else { false }
    }
}

extension Session.PeerRequest {
    var deadline: Duration? {
        switch self {
        case .serving(_, let deadline), .awaitsContinued(_, let deadline): deadline
        case .overdue: nil
        }
    }
}

extension Session.Action {
    var isSending: Bool {
        if case .send = self { true } else { false }
    }
}
