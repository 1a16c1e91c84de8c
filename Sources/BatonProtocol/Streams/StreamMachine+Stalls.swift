// SPDX-License-Identifier: Apache-2.0

import TransportModel

/// Detects channels that have stalled although nothing has closed them (Streams.md, "Stalls").
extension StreamMachine {
    /// Handles a transport's report on the delivery over a generation's channel.
    mutating func saw(_ delivery: ChannelDelivery?, _ generation: UInt32, at now: Duration) -> [Action] {
        guard phase == .running, generation == active?.generation else { return [] }
        return watch.saw(delivery, at: now).map { [action($0, generation)] } ?? []
    }

    /// Handles a report that a generation's channel has stalled.
    mutating func reported(_ generation: UInt32, at now: Duration) -> [Action] {
        guard phase == .running, generation == active?.generation else { return [] }
        return watch.reported(at: now) ? [.stalled(generation: generation)] : []
    }

    /// Handles the peer's request for another channel. Requests that come too often are ignored.
    mutating func asked(_ generation: UInt32, at now: Duration) -> [Action] {
        guard case .initiator = role, phase == .running, attachment == nil, generation == active?.generation else {
            return []
        }
        let turn = limits.asks.next(after: asksRestored, at: now)
        guard turn.due <= now else { return [] }
        asksRestored = turn.restored
        return watch.reported(at: now) ? [.stalled(generation: generation)] : []
    }

    /// Attaches a channel that was dialled because of a stall, unless the present channel works
    /// again.
    mutating func relieve(_ generation: UInt32, _ parameters: ChannelParameters, at now: Duration) -> [Action] {
        guard active == nil || watch.stall != nil else {
            // The channel may close late, so no other channel may get its generation.
            highestGeneration = max(highestGeneration, min(generation, .max - 1))
            return [.closeChannel(generation: generation)]
        }
        return open(generation, parameters, at: now)
    }

    /// Records a frame of the peer on a generation's channel.
    mutating func heard(_ frame: Frame, on generation: UInt32, at now: Duration) -> [Action] {
        guard phase == .running, generation == active?.generation else { return [] }
        if case .data = frame, role != .responder { quiet.received(at: now) }
        return watch.proof(at: now).map { [action($0, generation)] } ?? []
    }

    /// Returns the actions that are due because of time.
    mutating func watchExpired(at now: Duration) -> [Action] {
        guard let active else { return [] }
        var actions: [Action] = []
        if watch.isDue(at: now) { actions.append(.look(generation: active.generation)) }
        // The peer may have vanished while this side had nothing to send. Then nothing waits for an
        // acknowledgement, so send something.
        if quiet.isOver(at: now), let ack = incoming.repeatedAcknowledgement() {
            actions.append(.send(.ack(ack), generation: active.generation))
        }
        return actions
    }

    private func action(_ change: DeliveryWatch.Change, _ generation: UInt32) -> Action {
        switch change {
        case .stalled: .stalled(generation: generation)
        case .recovered: .recovered(generation: generation)
        }
    }
}

/// Detects a pause in an incoming stream.
struct QuietStream: Sendable {
    /// The pause after which the receiver sends something, so that a stall shows.
    static let limit = Duration.milliseconds(250)

    /// The uptime at which to check whether the stream has paused; `nil` unless bytes have arrived
    /// since the last pause.
    private(set) var deadline: Duration?
    private var last = Duration.zero

    mutating func received(at now: Duration) {
        last = now
        // Do not move the deadline with each frame, because setting an alarm costs more than a
        // check.
        deadline = deadline ?? now + Self.limit
    }

    /// Returns whether the stream has paused, once for each pause.
    mutating func isOver(at now: Duration) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = last + Self.limit > now ? last + Self.limit : nil
        return self.deadline == nil
    }
}
