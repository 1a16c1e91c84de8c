// SPDX-License-Identifier: Apache-2.0

/// The transitions for channels and streams that end.
extension StreamMachine {
    mutating func closed(_ generation: UInt32, at now: Duration) -> [Action] {
        if let attachment, attachment.channel.generation == generation {
            self.attachment = nil
            return active == nil ? lost(.broken, at: now) : stillStalled(without: generation)
        }
        guard generation == active?.generation else { return [] }
        carry(on: nil)
        switch phase {
        case .running: return attachment == nil ? lost(.broken, at: now) : []
        // Either the initiator closed the channel because everything is done, or the channel broke
        // and the initiator will attach another one to find out.
        case .lingering: lingerWithoutChannel(at: now)
        case .resetting: phase = .over
        case .over: break
        }
        return []
    }

    mutating func expire(at now: Duration) -> [Action] {
        switch phase {
        case .running:
            if let attachment, attachment.deadline <= now { return lose(attachment, .attachTimedOut, at: now) }
            if let breakDeadline, breakDeadline <= now { return fail(.broken, telling: .timedOut, at: now) }
            return watchExpired(at: now)
        case .lingering(let deadline):
            guard deadline <= now else { return [] }
            guard let active else { return closeAll() }
            lingerWithoutChannel(at: now)
            return [.closeChannel(generation: active.generation)]
        case .resetting(let deadline): return deadline <= now ? closeAll() : []
        case .over: return []
        }
    }

    /// Waits for another attachment, because the initiator perhaps does not know that everything is
    /// done.
    private mutating func lingerWithoutChannel(at now: Duration) {
        carry(on: nil)
        phase = limits.resume > .zero ? .lingering(deadline: now + limits.resume) : .over
    }

    /// Abandons an attachment that failed. The active channel, if there is one, stays.
    mutating func lose(_ attachment: Attachment, _ failure: Failure, at now: Duration) -> [Action] {
        self.attachment = nil
        let generation = attachment.channel.generation
        let actions = [Action.closeChannel(generation: generation)]
        if active != nil { return stillStalled(without: generation) + actions }
        if case .reset = failure { return actions + fail(failure, telling: nil, at: now) }
        return actions + lost(failure, at: now)
    }

    /// Returns the action that asks for another channel after an attachment was lost; none if the
    /// active channel works.
    private func stillStalled(without lost: UInt32) -> [Action] {
        guard let active, watch.stall != nil else { return [] }
        return [.stalled(generation: active.generation, lost: lost)]
    }

    /// Handles the loss of the last channel.
    private mutating func lost(_ failure: Failure, at now: Duration) -> [Action] {
        guard limits.resume > .zero else { return fail(failure, telling: nil, at: now) }
        // A failed attempt to resume does not extend the time.
        let until = breakDeadline ?? now + limits.resume
        breakDeadline = until
        return [.broken(until: until)]
    }

    /// Handles a rule that the peer broke: fails the streams, or only closes if they have already
    /// ended.
    mutating func violated(_ violation: StreamViolation, at now: Duration) -> [Action] {
        guard phase == .running else { return closeAll() }
        return fail(.protocolViolation(violation.rule), telling: .protocolViolation, at: now)
    }

    /// Ends the streams with a failure.
    ///
    /// - Parameter reason: The reason to send to the peer; `nil` to send none, because the peer
    ///   knows the reason or cannot be reached.
    mutating func fail(_ failure: Failure, telling reason: Reset.Reason?, at now: Duration) -> [Action] {
        // The machine may be kept for a while to answer the peer, so it must not keep the bytes.
        outgoing = OutgoingStream()
        guard let reason, let channel = active ?? attachment?.channel else {
            return closeAll() + [.failed(failure)]
        }
        var actions = [Action.send(.reset(Reset(reason: reason)), generation: channel.generation)]
        if let attachment, attachment.channel != channel {
            actions.append(.closeChannel(generation: attachment.channel.generation))
        }
        attachment = nil
        carry(on: channel)
        phase = .resetting(deadline: now + limits.linger)
        actions.append(.failed(failure))
        return actions
    }

    /// Uses a channel from now on, or none.
    mutating func carry(on channel: Channel?) {
        active = channel
        watch = DeliveryWatch()
        quiet = QuietStream()
    }

    mutating func closeAll() -> [Action] {
        phase = .over
        let open = [active, attachment?.channel].compactMap(\.self)
        carry(on: nil)
        attachment = nil
        return open.map { .closeChannel(generation: $0.generation) }
    }
}
