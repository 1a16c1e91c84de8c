// SPDX-License-Identifier: Apache-2.0

import Diagnosis

/// The requests and answers of this side.
extension Session {
    mutating func open(at now: Duration) -> [Action] {
        guard phase == .new else { return [] }
        phase = .awaitingHello(deadline: now + limits.hello)
        return [.send(.hello(hello))]
    }

    mutating func change(_ hello: Hello) -> [Action] {
        let keepsLink = self.hello.keepsLink
        self.hello = hello
        self.hello.keepsLink = keepsLink
        return phase == .new || saidGoodbye ? [] : [.send(.hello(self.hello))]
    }

    mutating func ask(_ id: UInt64, _ request: Request, deadline: Duration) -> [Action] {
        guard acceptsRequests else { return [.replied(id: id, result: .failure(Self.unavailable))] }
        guard localRequests[id] == nil, localRequests.count < limits.requests else {
            return [.replied(id: id, result: .failure(Self.tooMany))]
        }
        let frame = request.frame(id)
        if let error = Self.failure(toEncode: frame) {
            return [.replied(id: id, result: .failure(HandoffError(error)))]
        }
        localRequests[id] = .waiting(request.kind, deadline: deadline)
        return [.send(frame)]
    }

    mutating func reportContinued(_ id: UInt64, accepted: Bool, at now: Duration) -> [Action] {
        guard case .owesContinued(let acceptance, _) = localRequests[id] else { return [] }
        localRequests[id] = nil
        if accepted {
            toldAcceptances.append((acceptance, now + limits.report))
            if toldAcceptances.count > limits.requests { toldAcceptances.removeFirst() }
        }
        return [.send(.continued(Continued(id: id, accepted: accepted)))]
    }

    /// Sends an acceptance to the peer once. The peer does not answer it.
    mutating func tellAcceptance(_ acceptance: Acceptance) -> [Action] {
        acceptsRequests ? [.send(.acceptance(acceptance))] : []
    }

    /// Asks the peer to attach another channel to a pair of streams, unless this side has asked too
    /// often. The peer does not answer.
    mutating func tellReattach(_ reattach: Reattach, at now: Duration) -> [Action] {
        let turn = limits.reattaches.next(after: reattachesRestored, at: now)
        guard acceptsRequests, turn.due <= now else { return [] }
        reattachesRestored = turn.restored
        return [.send(.reattach(reattach))]
    }

    mutating func cancel(_ id: UInt64, at now: Duration) -> [Action] {
        switch localRequests[id] {
        case .waiting(let kind, _):
            localRequests[id] = .abandoned(kind)
            return []
        case .owesContinued: return reportContinued(id, accepted: false, at: now)
        case .abandoned, nil: return []
        }
    }

    mutating func served(_ id: UInt64, _ result: Result<Reply, HandoffError>, at now: Duration) -> [Action] {
        guard case .serving(let kind, _) = peerRequests[id] else { return [] }
        let (frame, sent) = Self.sendable(result, answering: kind, id)
        if case .success(.activity(let grant)) = sent {
            peerRequests[id] = .awaitsContinued(grant.acceptance, deadline: now + limits.report)
        } else {
            peerRequests[id] = nil
        }
        return [.send(frame)]
    }

    /// Returns the frame for a reply, and the reply that it contains.
    ///
    /// A reply that does not fit a frame becomes a failure.
    private static func sendable(
        _ result: Result<Reply, HandoffError>, answering kind: Kind, _ id: UInt64
    ) -> (Frame, Result<Reply, HandoffError>) {
        let frame = result.frame(answering: kind, id)
        guard let error = failure(toEncode: frame) else { return (frame, result) }
        let failed = Result<Reply, HandoffError>.failure(HandoffError(error))
        return (failed.frame(answering: kind, id), failed)
    }

    mutating func drain(_ reason: Goodbye.Reason, at now: Duration) -> [Action] {
        guard draining == nil else { return [] }
        if phase == .new { return close(.drained) }
        draining = (reason, now + limits.drain)
        return [.draining(reason)]
    }

    /// Sends a goodbye once this side has no unfinished requests, and closes the channel after both
    /// goodbyes.
    ///
    /// By then, all replies for which somebody waits have arrived, so closing loses none of them.
    mutating func sayGoodbyeIfDone() -> [Action] {
        guard phase != .closed, phase != .new, let draining else { return [] }
        var actions: [Action] = []
        if !saidGoodbye, !hasOutstandingLocalRequests {
            saidGoodbye = true
            actions.append(.send(.goodbye(Goodbye(reason: draining.reason))))
        }
        if saidGoodbye, peerSaidGoodbye { actions += close(.drained) }
        return actions
    }

    mutating func expire(at now: Duration) -> [Action] {
        if case .awaitingHello(let deadline) = phase, deadline <= now { return close(.helloTimedOut) }
        if let draining, draining.deadline <= now { return close(.drainTimedOut) }
        if let idleDeadline, idleDeadline <= now { return drain(.idle, at: now) }
        var actions = keepingExpired(at: now)
        guard phase != .closed else { return actions }
        for (id, request) in localRequests.sorted(by: { $0.key < $1.key }) {
            switch request {
            case .waiting(let kind, let deadline) where deadline <= now:
                localRequests[id] = .abandoned(kind)
                actions.append(.replied(id: id, result: .failure(Self.timedOut)))
            case .owesContinued(_, let deadline) where deadline <= now:
                actions += reportContinued(id, accepted: false, at: now)
            default: break
            }
        }
        for (id, request) in peerRequests.sorted(by: { $0.key < $1.key }) {
            guard let deadline = request.deadline, deadline <= now else { continue }
            switch request {
            case .serving: actions += served(id, .failure(Self.timedOut), at: now)
            case .awaitsContinued(let acceptance, _):
                peerRequests[id] = .overdue
                actions.append(.continued(acceptance, outcome: .declined))
            case .overdue: break
            }
        }
        return actions
    }

    mutating func close(_ reason: CloseReason) -> [Action] { end() + [.close(reason)] }

    /// Ends the session, and fails all requests that still wait for a reply.
    mutating func end() -> [Action] {
        phase = .closed
        var actions = endKeeping()
        for (id, request) in localRequests.sorted(by: { $0.key < $1.key }) {
            if case .waiting = request { actions.append(.replied(id: id, result: .failure(Self.unavailable))) }
        }
        localRequests = localRequests.filter { $0.value.isOwed }
        actions += toldAcceptances.map { .acceptanceLost($0.acceptance) }
        toldAcceptances = []
        return actions + abandonPeerRequests()
    }

    mutating func abandonPeerRequests() -> [Action] {
        let abandoned = peerRequests.sorted { $0.key < $1.key }
        peerRequests = [:]
        return abandoned.compactMap { id, request in
            switch request {
            case .awaitsContinued(let acceptance, _): .continued(acceptance, outcome: .unreported)
            case .serving, .overdue: nil
            }
        }
    }

    /// Handles events after the end. Requests then fail, and acceptances must be sent over another
    /// channel.
    mutating func handleAfterEnd(_ event: Event) -> [Action] {
        switch event {
        case .reportContinued(let id, let accepted):
            guard case .owesContinued(let acceptance, _) = localRequests.removeValue(forKey: id), accepted else {
                return []
            }
            return [.acceptanceLost(acceptance)]
        case .ask(let id, _, _): return [.replied(id: id, result: .failure(Self.unavailable))]
        default: return []
        }
    }

    private static func failure(toEncode frame: Frame) -> WireError? {
        do {
            _ = try WireFrame(checking: frame)
            return nil
        } catch {
            return error
        }
    }

    private static var tooMany: HandoffError { HandoffError(.busy, .tooManyRequests) }

    private static var unavailable: HandoffError {
        HandoffError(.connectionUnavailable, .connectionBroke)
    }

    private static var timedOut: HandoffError {
        HandoffError(.remoteApplicationTimedOut, .laptopSilent)
    }
}
