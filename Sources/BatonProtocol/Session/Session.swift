// SPDX-License-Identifier: Apache-2.0

/// One control channel between two authenticated devices: who said hello, what was asked, what is
/// owed.
///
/// A state machine without I/O: events in, actions out, in the order in which they are to be
/// carried out. Times are uptimes, never wall clock. `Documentation/Protocol/Session.md` has the
/// table of messages and states.
public struct Session: Sendable {
    /// What happens to a session.
    public enum Event: Hashable, Sendable {
        /// TLS is up, and, on the accepting side, the dialler's first frame was a hello (it follows
        /// as ``received(_:)``).
        case opened
        /// The peer sent a frame.
        case received(Frame)
        /// What this device says of itself has changed.
        case helloChanged(Hello)
        /// This side asks the peer; `id` is new to this session, `deadline` an uptime.
        case ask(id: UInt64, Request, deadline: Duration)
        /// The local app accepted an activity that ``Action/replied(id:result:)`` brought, or did
        /// not; also after the channel has closed.
        case reportContinued(id: UInt64, accepted: Bool)
        /// The local app accepted what came over another channel, which has ended.
        case tellAcceptance(Acceptance)
        /// The answer to ``Action/serve(id:_:)``.
        case served(id: UInt64, result: Result<Reply, HandoffError>)
        /// The caller no longer waits for a reply.
        case cancel(id: UInt64)
        /// This channel is to end once nothing is outstanding.
        case drain(Goodbye.Reason)
        /// ``Session/deadline`` has come.
        case time
        /// The channel is closed.
        case closed
    }

    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Send a frame to the peer.
        case send(Frame)
        /// The peer said hello, for the first time or again.
        case peerHello(Hello)
        /// The peer asks: answer with ``Event/served(id:result:)``.
        case serve(id: UInt64, Request)
        /// How ``Event/ask(id:_:deadline:)`` ended.
        case replied(id: UInt64, result: Result<Reply, HandoffError>)
        /// What became of an activity that this side handed over.
        case continued(Acceptance, outcome: ContinueOutcome)
        /// The peer's app accepted what went over another channel, which has ended.
        case acceptedElsewhere(Acceptance)
        /// The peer may not have heard that the local app accepted something: tell it over another
        /// channel by ``Event/tellAcceptance(_:)``, once.
        case acceptanceLost(Acceptance)
        /// No new requests go over this channel any more: dial another for them.
        case draining(Goodbye.Reason)
        /// Close the channel once what was sent has been flushed.
        case close(CloseReason)
    }

    /// What a channel tells of an activity that was handed over.
    public enum ContinueOutcome: Hashable, Sendable {
        /// The peer's app took it over.
        case accepted
        /// It did not, or not in time, or nobody waited for it any more.
        case declined
        /// The channel ended before the peer said so.
        case unreported
    }

    /// Why a session closes its channel.
    public enum CloseReason: Hashable, Sendable {
        /// Both sides said goodbye.
        case drained
        /// The peer sent what may not come in this state.
        case unexpected(String)
        /// The peer had more requests outstanding than it may.
        case tooManyRequests
        /// The peer did not say hello in time.
        case helloTimedOut
        /// A goodbye was not answered in time.
        case drainTimedOut
    }

    enum Phase: Hashable, Sendable {
        case new
        case awaitingHello(deadline: Duration)
        case ready
        case closed
    }

    /// A request of this side.
    enum LocalRequest: Hashable, Sendable {
        case waiting(Kind, deadline: Duration)
        /// Nobody waits for the reply, but it will come.
        case abandoned(Kind)
        /// The reply was delivered; the peer is to be told whether the app accepted.
        case owesContinued(Acceptance, deadline: Duration)
    }

    /// A request of the peer.
    enum PeerRequest: Hashable, Sendable {
        case serving(Kind, deadline: Duration)
        case awaitsContinued(Acceptance, deadline: Duration)
        /// Nobody waits for the report, but it will come.
        case overdue
    }

    let limits: Limits
    var hello: Hello
    var phase = Phase.new
    var localRequests: [UInt64: LocalRequest] = [:]
    var peerRequests: [UInt64: PeerRequest] = [:]
    /// Acceptances that were told and may not have arrived, the newest last; after the end, nothing
    /// more can be lost.
    var toldAcceptances: [(acceptance: Acceptance, until: Duration)] = []
    var lastActivity = Duration.zero
    /// Set once no new local requests are made.
    var draining: (reason: Goodbye.Reason, deadline: Duration)?
    var saidGoodbye = false
    var peerSaidGoodbye = false

    /// What the peer said of itself last.
    public internal(set) var peerHello: Hello?

    /// A session that has not begun.
    ///
    /// - Parameter hello: What this device says of itself; it must pass ``Hello/check()``.
    public init(hello: Hello, limits: Limits = Limits()) {
        self.hello = hello
        self.limits = limits
    }

    /// Whether new local requests may be made: begun, not draining, not closed.
    public var acceptsRequests: Bool {
        switch phase {
        case .awaitingHello, .ready: draining == nil
        case .new, .closed: false
        }
    }

    /// Whether the session is over; every event is then ignored.
    public var isClosed: Bool { phase == .closed }

    /// When ``Event/time`` is due at the latest, as an uptime; `nil` when nothing is waited for.
    public var deadline: Duration? {
        guard phase != .new, phase != .closed else { return nil }
        var earliest = draining?.deadline ?? idleDeadline
        func consider(_ deadline: Duration) { earliest = min(earliest ?? deadline, deadline) }
        if case .awaitingHello(let deadline) = phase { consider(deadline) }
        for request in localRequests.values { request.deadline.map(consider) }
        for request in peerRequests.values { request.deadline.map(consider) }
        return earliest
    }

    /// When an idle channel is given up; `nil` while anything is outstanding.
    var idleDeadline: Duration? {
        guard phase == .ready, draining == nil, !hasOutstandingLocalRequests,
            peerRequests.values.allSatisfy({ $0.deadline == nil })
        else { return nil }
        return lastActivity + limits.idle
    }

    var hasOutstandingLocalRequests: Bool { localRequests.values.contains { $0.deadline != nil } }

    /// Takes an event and says what is to be done, in order. Carry out all of it before the next
    /// event.
    ///
    /// - Parameter now: The uptime.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        if phase == .closed { return handleAfterEnd(event) }
        toldAcceptances.removeAll { $0.until <= now }
        var actions: [Action]
        switch event {
        case .opened: actions = open(at: now)
        case .received(let frame): actions = receive(frame, at: now)
        case .helloChanged(let hello): actions = change(hello)
        case .ask(let id, let request, let deadline): actions = ask(id, request, deadline: deadline)
        case .reportContinued(let id, let accepted): actions = reportContinued(id, accepted: accepted, at: now)
        case .tellAcceptance(let acceptance): actions = tellAcceptance(acceptance)
        case .cancel(let id): actions = cancel(id, at: now)
        case .served(let id, let result): actions = served(id, result, at: now)
        case .drain(let reason): actions = drain(reason, at: now)
        case .time: actions = expire(at: now)
        case .closed: actions = end()
        }
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
    /// Whether the peer is still to be told of it.
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
