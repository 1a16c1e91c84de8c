// SPDX-License-Identifier: Apache-2.0

extension StreamMachine {
    mutating func take(_ event: Event, at now: Duration) throws(StreamViolation) -> [Action] {
        switch event {
        case .opened(let generation, let parameters): return open(generation, parameters, at: now)
        case .attach(let attach, let parameters): return receive(attach, parameters, at: now)
        case .alternative(let generation, let parameters): return relieve(generation, parameters, at: now)
        case .received(let frame, let generation):
            return heard(frame, on: generation, at: now) + (try receive(frame, generation, at: now))
        case .localBytes(let bytes):
            if phase == .running { outgoing.append(bytes) }
            return []
        case .localEnd:
            if phase == .running { outgoing.finish() }
            return []
        case .written(let count):
            incoming.wrote(count)
            return []
        case .localRead:
            incoming.wasRead()
            return []
        case .localFailed:
            return phase == .running ? fail(.localFailed, telling: .applicationFailed, at: now) : []
        case .notTaken:
            return phase == .running ? fail(.notTaken, telling: .notTaken, at: now) : []
        case .stopped:
            return phase == .running ? fail(.stopped, telling: .stopped, at: now) : []
        case .delivery(let delivery, let generation): return saw(delivery, generation, at: now)
        case .pathLost(let generation): return reported(generation, at: now)
        case .asked(let generation): return asked(generation, at: now)
        case .closed(let generation): return closed(generation, at: now)
        case .time: return expire(at: now)
        }
    }

    /// Returns the actions that have become possible after an event.
    mutating func advance(at now: Duration) -> [Action] {
        var actions: [Action] = []
        switch phase {
        case .running, .lingering: break
        case .resetting, .over: return []
        }
        if incoming.isComplete, !toldFinish {
            toldFinish = true
            actions.append(.finishLocal)
        }
        guard let active else { return actions }
        if let ack = incoming.acknowledgement(window: active.parameters.window) {
            actions.append(.send(.ack(ack), generation: active.generation))
        }
        for frame in outgoing.frames(chunk: active.parameters.chunk) {
            actions.append(.send(frame, generation: active.generation))
        }
        // The responder sends its EndAck only after the initiator's EndAck. Once the initiator has
        // received the responder's EndAck, no other bytes are on the way, and the initiator may
        // close.
        if incoming.isRead, incoming.endIsOpen, role != .responder || outgoing.endAcknowledged {
            actions.append(.send(incoming.endAcknowledgement(), generation: active.generation))
        }
        guard phase == .running, incoming.isRead, !incoming.endIsOpen, outgoing.endAcknowledged else {
            return actions
        }
        actions.append(.finished)
        if role == .responder {
            phase = .lingering(deadline: now + limits.linger)
        } else {
            actions += closeAll()
        }
        return actions
    }

    mutating func open(_ generation: UInt32, _ parameters: ChannelParameters, at now: Duration) -> [Action] {
        guard case .initiator(let token) = role, phase == .running, generation >= nextGeneration, generation < .max
        else { return [.closeChannel(generation: generation)] }
        var actions: [Action] = []
        if let attachment { actions.append(.closeChannel(generation: attachment.channel.generation)) }
        highestGeneration = generation
        let invitation = incoming.invitation(window: parameters.window)
        attachment = Attachment(
            channel: Channel(generation: generation, parameters: parameters), invitation: invitation,
            deadline: now + limits.attach)
        let attach = Attach(
            token: token, generation: generation, nextOffset: invitation.nextOffset, window: invitation.window)
        actions.append(.send(.attach(attach), generation: generation))
        return actions
    }

    private mutating func receive(_ attach: Attach, _ parameters: ChannelParameters, at now: Duration) -> [Action] {
        guard accepts(attach) else { return [.closeChannel(generation: attach.generation)] }
        highestGeneration = attach.generation
        let invitation = incoming.invitation(window: parameters.window)
        let answer = Attached(nextOffset: invitation.nextOffset, window: invitation.window)
        var actions = activate(Channel(generation: attach.generation, parameters: parameters), invitation)
        if case .lingering = phase { phase = .lingering(deadline: now + limits.linger) }
        do throws(StreamViolation) {
            try outgoing.attach(nextOffset: attach.nextOffset, window: attach.window)
        } catch {
            return actions + violated(error, at: now)
        }
        actions.append(.send(.attached(answer), generation: attach.generation))
        actions.append(.attached(generation: attach.generation))
        return actions
    }

    /// Makes a channel carry the streams, and closes the old channel, whose frames are ignored from
    /// then on.
    private mutating func activate(_ channel: Channel, _ invitation: IncomingStream.Invitation) -> [Action] {
        var actions: [Action] = []
        if let active { actions.append(.abandonChannel(generation: active.generation)) }
        carry(on: channel)
        attachment = nil
        breakDeadline = nil
        incoming.begin(invitation)
        return actions
    }

    private mutating func receive(_ frame: Frame, _ generation: UInt32, at now: Duration) throws(StreamViolation)
        -> [Action]
    {
        switch phase {
        case .running, .lingering: break
        case .resetting, .over: return []
        }
        if let attachment, attachment.channel.generation == generation {
            switch frame {
            case .attached(let attached):
                var actions = activate(attachment.channel, attachment.invitation)
                do throws(StreamViolation) {
                    try outgoing.attach(nextOffset: attached.nextOffset, window: attached.window)
                } catch {
                    return actions + violated(error, at: now)
                }
                actions.append(.attached(generation: generation))
                return actions
            case .reset(let reset): return lose(attachment, .reset(reset.reason), at: now)
            default: throw StreamViolation("\(frame.kind) before attached")
            }
        }
        guard generation == active?.generation else { return [] }
        switch frame {
        case .data(let data):
            let fresh = try incoming.receive(data)
            return fresh.isEmpty ? [] : [.deliver(fresh)]
        case .ack(let ack): try outgoing.receive(ack)
        case .end(let end): try incoming.receive(end)
        case .endAck: try outgoing.receiveEndAck()
        case .reset(let reset): return phase == .running ? fail(.reset(reset.reason), telling: nil, at: now) : []
        default: throw StreamViolation("\(frame.kind) on attached streams")
        }
        return []
    }
}
