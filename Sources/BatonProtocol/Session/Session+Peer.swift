// SPDX-License-Identifier: Apache-2.0

/// The frames from the peer.
extension Session {
    mutating func receive(_ frame: Frame, at now: Duration) -> [Action] {
        switch phase {
        case .new, .closed: return []
        case .awaitingHello:
            guard case .hello(let hello) = frame else { return close(.unexpected("\(frame.kind) before hello")) }
            phase = .ready
            lastActivity = now
            peerHello = hello
            return heard(at: now) + [.peerHello(hello)]
        case .ready: break
        }
        lastActivity = now
        return heard(at: now) + take(frame, at: now)
    }

    private mutating func take(_ frame: Frame, at now: Duration) -> [Action] {
        if peerSaidGoodbye {
            // After its goodbye, a peer makes no requests and reports nothing, but still answers.
            switch frame {
            case .continueReply, .streamReply, .probeReply: break
            default: return close(.unexpected("\(frame.kind) after goodbye"))
            }
        }
        switch frame {
        case .hello(let hello):
            peerHello = hello
            return [.peerHello(hello)]
        case .continueRequest(let request):
            return serve(request.id, .activity(request.activity), at: now)
        case .streamRequest(let request):
            return serve(request.id, .streams(request.instance), at: now)
        case .probeRequest(let request): return serve(request.id, .probe, at: now)
        case .continueReply(let reply):
            return answered(reply.id, .activity, reply.result.map(Reply.activity), at: now)
        case .streamReply(let reply): return answered(reply.id, .streams, reply.result.map(Reply.streams), at: now)
        case .probeReply(let reply): return answered(reply.id, .probe, reply.result.map(Reply.probe), at: now)
        case .continued(let report): return receive(report)
        case .acceptance(let acceptance): return [.acceptedElsewhere(acceptance)]
        case .offer(let offer): return receive(offer, at: now)
        case .reattach(let reattach): return receive(reattach, at: now)
        case .goodbye(let goodbye):
            peerSaidGoodbye = true
            if goodbye.reason.confirmsReports { toldAcceptances = [] }
            let announcement = draining == nil ? [Action.draining(goodbye.reason)] : []
            _ = drain(.answer, at: now)
            return announcement + abandonPeerRequests()
        case .join, .welcome, .joined, .attach, .attached, .data, .ack, .end, .endAck, .reset, .trial:
            return close(.unexpected("\(frame.kind) on a control channel"))
        }
    }

    private mutating func serve(_ id: UInt64, _ request: Request, at now: Duration) -> [Action] {
        guard peerRequests[id] == nil else { return close(.unexpected("a request with an id in use")) }
        guard peerRequests.count < limits.requests else { return close(.tooManyRequests) }
        peerRequests[id] = .serving(request.kind, deadline: now + limits.service)
        return [.serve(id: id, request)]
    }

    private mutating func receive(_ report: Continued) -> [Action] {
        switch peerRequests[report.id] {
        case .awaitsContinued(let acceptance, _):
            peerRequests[report.id] = nil
            return [.continued(acceptance, outcome: report.accepted ? .accepted : .declined)]
        case .overdue:
            peerRequests[report.id] = nil
            return []
        case .serving, nil: return close(.unexpected("continued without a reply"))
        }
    }

    private mutating func receive(_ reattach: Reattach, at now: Duration) -> [Action] {
        let turn = limits.peerReattaches.next(after: peerReattachesRestored, at: now)
        guard turn.due <= now else { return [] }
        peerReattachesRestored = turn.restored
        return [.reattach(reattach)]
    }

    /// Processes the peer's reply to a request, and passes it to the caller unless the caller has
    /// given up.
    private mutating func answered(
        _ id: UInt64, _ kind: Kind, _ result: Result<Reply, HandoffError>, at now: Duration
    ) -> [Action] {
        switch localRequests[id] {
        case .waiting(kind, _):
            if case .success(.activity(let grant)) = result {
                localRequests[id] = .owesContinued(grant.acceptance, deadline: now + limits.report)
            } else {
                localRequests[id] = nil
            }
            return [.replied(id: id, result: result)]
        case .abandoned(kind):
            localRequests[id] = nil
            guard case .success(.activity) = result, !saidGoodbye else { return [] }
            return [.send(.continued(Continued(id: id, accepted: false)))]
        default: return close(.unexpected("a reply without a request"))
        }
    }
}

extension Goodbye.Reason {
    /// Whether a goodbye with this reason shows that its sender has received all reports that this
    /// side sent before the goodbye arrived.
    ///
    /// An idle side awaits no reports. An answer follows this side's goodbye, which comes after all
    /// of this side's reports. A goodbye for any other reason may come while its sender still
    /// awaits reports.
    fileprivate var confirmsReports: Bool { self == .idle || self == .answer }
}

extension Frame {
    /// The name of the message, for close reasons and logs.
    public var kind: String {
        switch self {
        case .hello: "hello"
        case .continueRequest: "continueRequest"
        case .continueReply: "continueReply"
        case .continued: "continued"
        case .streamRequest: "streamRequest"
        case .streamReply: "streamReply"
        case .goodbye: "goodbye"
        case .join: "join"
        case .welcome: "welcome"
        case .joined: "joined"
        case .attach: "attach"
        case .attached: "attached"
        case .data: "data"
        case .ack: "ack"
        case .end: "end"
        case .endAck: "endAck"
        case .reset: "reset"
        case .acceptance: "acceptance"
        case .probeRequest: "probeRequest"
        case .probeReply: "probeReply"
        case .trial: "trial"
        case .offer: "offer"
        case .reattach: "reattach"
        }
    }
}
