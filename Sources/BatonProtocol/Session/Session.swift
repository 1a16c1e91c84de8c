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
        /// This side wants the activity with a hash; `id` is new to this session, `deadline` an
        /// uptime.
        case continueActivity(id: UInt64, activity: [UInt8], deadline: Duration)
        /// The local app accepted, or did not, what ``Action/continueReplied(id:result:)`` brought;
        /// also after the channel has closed.
        case reportContinued(id: UInt64, accepted: Bool)
        /// The local app accepted what came over another channel, which has ended.
        case tellAcceptance(Acceptance)
        /// This side wants streams to a continued activity; `id` is new to this session, `deadline`
        /// an uptime.
        case openStreams(id: UInt64, instance: [UInt8], deadline: Duration)
        /// This side wants to know what the peer hears of it and how it reaches it; `id` is new to
        /// this session, `deadline` an uptime.
        case probe(id: UInt64, deadline: Duration)
        /// The answer to ``Action/serveContinue(id:activity:)``.
        case continueServed(id: UInt64, result: Result<ContinueGrant, HandoffError>)
        /// The answer to ``Action/serveStreams(id:instance:)``.
        case streamsServed(id: UInt64, result: Result<StreamGrant, HandoffError>)
        /// The answer to ``Action/serveProbe(id:)``.
        case probeServed(id: UInt64, result: Result<ProbeReport, HandoffError>)
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
        /// Answer with ``Event/continueServed(id:result:)``.
        case serveContinue(id: UInt64, activity: [UInt8])
        /// Answer with ``Event/streamsServed(id:result:)``.
        case serveStreams(id: UInt64, instance: [UInt8])
        /// Answer with ``Event/probeServed(id:result:)``.
        case serveProbe(id: UInt64)
        /// How ``Event/continueActivity(id:activity:deadline:)`` ended; after a success the caller
        /// owes ``Event/reportContinued(id:accepted:)``.
        case continueReplied(id: UInt64, result: Result<ContinueGrant, HandoffError>)
        /// How ``Event/openStreams(id:instance:deadline:)`` ended.
        case streamsReplied(id: UInt64, result: Result<StreamGrant, HandoffError>)
        /// How ``Event/probe(id:deadline:)`` ended.
        case probeReplied(id: UInt64, result: Result<ProbeReport, HandoffError>)
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

    enum Kind: Hashable, Sendable {
        case activity
        case streams
        case probe
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
        case .continueActivity(let id, let activity, let deadline):
            let frame = Frame.continueRequest(ContinueRequest(id: id, activity: activity))
            actions = request(id, .activity, frame, deadline: deadline)
        case .openStreams(let id, let instance, let deadline):
            let frame = Frame.streamRequest(StreamRequest(id: id, instance: instance))
            actions = request(id, .streams, frame, deadline: deadline)
        case .probe(let id, let deadline):
            actions = request(id, .probe, .probeRequest(ProbeRequest(id: id)), deadline: deadline)
        case .reportContinued(let id, let accepted): actions = reportContinued(id, accepted: accepted, at: now)
        case .tellAcceptance(let acceptance): actions = tellAcceptance(acceptance)
        case .cancel(let id): actions = cancel(id, at: now)
        case .continueServed(let id, let result): actions = served(id, result, at: now)
        case .streamsServed(let id, let result): actions = served(id, result)
        case .probeServed(let id, let result): actions = served(id, result)
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
