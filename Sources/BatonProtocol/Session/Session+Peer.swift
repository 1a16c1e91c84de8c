// SPDX-License-Identifier: Apache-2.0

/// What the peer does.
extension Session {
    mutating func receive(_ frame: Frame, at now: Duration) -> [Action] {
        switch phase {
        case .new, .closed: return []
        case .awaitingHello:
            guard case .hello(let hello) = frame else { return close(.unexpected("\(frame.kind) before hello")) }
            phase = .ready
            lastActivity = now
            peerHello = hello
            return [.peerHello(hello)]
        case .ready: break
        }
        lastActivity = now
        if peerSaidGoodbye {
            // Who said goodbye asks and tells nothing more, but goes on answering.
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
            return serve(request.id, .activity, .serveContinue(id: request.id, activity: request.activity), at: now)
        case .streamRequest(let request):
            return serve(request.id, .streams, .serveStreams(id: request.id, instance: request.instance), at: now)
        case .probeRequest(let request):
            return serve(request.id, .probe, .serveProbe(id: request.id), at: now)
        case .continueReply(let reply): return receive(reply, at: now)
        case .streamReply(let reply):
            return answered(reply.id, .streams, .streamsReplied(id: reply.id, result: reply.result))
        case .probeReply(let reply):
            return answered(reply.id, .probe, .probeReplied(id: reply.id, result: reply.result))
        case .continued(let report): return receive(report)
        case .acceptance(let acceptance): return [.acceptedElsewhere(acceptance)]
        case .goodbye(let goodbye):
            peerSaidGoodbye = true
            let announcement = draining == nil ? [Action.draining(goodbye.reason)] : []
            _ = drain(.answer, at: now)
            return announcement + abandonPeerRequests()
        case .join, .welcome, .joined, .attach, .attached, .data, .ack, .end, .endAck, .reset, .trial:
            return close(.unexpected("\(frame.kind) on a control channel"))
        }
    }

    private mutating func serve(_ id: UInt64, _ kind: Kind, _ action: Action, at now: Duration) -> [Action] {
        guard peerRequests[id] == nil else { return close(.unexpected("a request with an id in use")) }
        guard peerRequests.count < limits.requests else { return close(.tooManyRequests) }
        peerRequests[id] = .serving(kind, deadline: now + limits.service)
        return [action]
    }

    private mutating func receive(_ reply: ContinueReply, at now: Duration) -> [Action] {
        switch localRequests[reply.id] {
        case .waiting(.activity, _):
            if case .success(let grant) = reply.result {
                localRequests[reply.id] = .owesContinued(grant.acceptance, deadline: now + limits.report)
            } else {
                localRequests[reply.id] = nil
            }
            return [.continueReplied(id: reply.id, result: reply.result)]
        case .abandoned(.activity):
            localRequests[reply.id] = nil
            guard case .success = reply.result, !saidGoodbye else { return [] }
            return [.send(.continued(Continued(id: reply.id, accepted: false)))]
        default: return close(.unexpected("a reply without a request"))
        }
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

    /// A reply that ends its request: told to who waits for it.
    private mutating func answered(_ id: UInt64, _ kind: Kind, _ action: Action) -> [Action] {
        switch localRequests[id] {
        case .waiting(kind, _):
            localRequests[id] = nil
            return [action]
        case .abandoned(kind):
            localRequests[id] = nil
            return []
        default: return close(.unexpected("a reply without a request"))
        }
    }
}

extension Frame {
    /// The kind of message, for reasons and logs.
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
        }
    }
}
