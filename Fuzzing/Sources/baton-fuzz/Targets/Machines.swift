// SPDX-License-Identifier: Apache-2.0

@testable import BatonProtocol
import ActivityModel
import Diagnosis

extension FuzzTarget {
    /// A control channel whose peer sends anything at any time, while this side asks, answers and
    /// cancels.
    static let session = FuzzTarget("session") {
        let bodies = try frames.map { Array(try FrameEncoder.encode($0).dropFirst(4)) }
        let told = bodies.map { [0] + FuzzInput.piece($0) }
        let talk = told[0] + [1, 1, 60] + told[2] + [3, 1, 1] + told[1] + [4, 1] + told[4] + [2, 2, 60] + told[6]
        // A seed in which both sides keep the link and send offers.
        let kept = [6, 2, 0] + told[19] + told[20] + [6, 3, 1, 7, 100, 6, 5, 7, 3, 6, 6, 0]
        return [talk, kept, talk + told[7] + [6, 0], told[0] + told[5] + [7, 90] + told[7]]
            + told.dropFirst().map { told[0] + $0 }
    } body: { input in
        var rest = FuzzInput(input)
        let hello = Hello(name: "own", unixTime: Fixture.moment, sequence: 1)
        var session = Session(hello: hello)
        var now = Duration.zero
        var (served, isClosed) = (Set<UInt64>(), false)
        func take(_ actions: [Session.Action]) throws {
            for action in actions {
                switch action {
                case .send(let frame):
                    try FuzzFinding.unless("nothing is sent after the end") { !isClosed }
                    try FuzzFinding.unless("what is sent can be encoded") { try !FrameEncoder.encode(frame).isEmpty }
                    switch frame {
                    case .continueReply(let reply): served.remove(reply.id)
                    case .streamReply(let reply): served.remove(reply.id)
                    case .probeReply(let reply): served.remove(reply.id)
                    default: break
                    }
                case .serve(let id, _):
                    try FuzzFinding.unless("a number is served once at a time") { served.insert(id).inserted }
                // A draining session need not answer the requests that are still open.
                case .draining: served = []
                case .close:
                    try FuzzFinding.unless("a session closes once") { !isClosed }
                    isClosed = true
                default: break
                }
            }
            try FuzzFinding.unless("at most 16 requests are served") { served.count <= 16 }
        }
        try take(session.handle(.opened, at: now))
        while !rest.isEmpty {
            let event: Session.Event
            switch rest.byte() % 8 {
            case 0:
                // An invalid frame closes the channel before the session sees it.
                guard let frame = try Frame(body: rest.piece()) else { continue }
                event = .received(frame)
            case 1:
                event = .ask(
                    id: UInt64(rest.byte()), .activity([1, 2, 3, 4, 5]), deadline: now + .seconds(Int(rest.byte())))
            case 2:
                event = .ask(
                    id: UInt64(rest.byte()), .streams(Fixture.repeated(1, 16)),
                    deadline: now + .seconds(Int(rest.byte())))
            case 3: event = .reportContinued(id: UInt64(rest.byte()), accepted: rest.byte() & 1 == 1)
            case 4:
                let id = UInt64(rest.byte())
                served.remove(id)
                let activity = try EncodedActivity(ActivityState(activityType: "t"))
                let grant = ContinueGrant(instance: Fixture.repeated(1, 16), activity: activity)
                event = .served(id: id, result: .success(.activity(grant)))
            case 5:
                let id = UInt64(rest.byte())
                served.remove(id)
                event = .served(id: id, result: .failure(HandoffError(.busy, .laptopBusy)))
            case 6:
                switch rest.byte() % 7 {
                case 0: event = .drain(.idle)
                case 1: event = .cancel(id: UInt64(rest.byte()))
                case 2: event = .keepsLinkChanged(rest.byte() & 1 == 0)
                case 3: event = .offerChanged(LinkOffer(sequence: UInt32(rest.byte()), activity: [1, 2, 3, 4, 5]))
                case 4: event = .check
                case 5: event = .confirmOffer
                default: event = .bytesArrived(at: now - .seconds(Int(rest.byte())))
                }
            default:
                now += .seconds(Int(rest.byte()))
                event = .time
            }
            try take(session.handle(event, at: now))
        }
    }

    /// A pair of streams whose peer sends anything at any time, on channels that open and close.
    static let stream = FuzzTarget("stream") {
        let bodies = try frames.map { Array(try FrameEncoder.encode($0).dropFirst(4)) }
        let told = bodies.map { [0, 1] + FuzzInput.piece($0) }
        let (attached, data, ack, end, endAck) = (told[12], told[13], told[14], told[15], told[16])
        return [
            [0, 1] + attached + data + [3, 3, 2, 3] + ack + [4] + end + endAck,
            [1, 1] + data + [3, 3, 2, 3] + ack + [4] + end + endAck + [1, 6, 200],
            [0, 1] + attached + data + [5, 1] + [1, 6, 61], [1, 1] + told[17],
        ]
    } body: { input in
        var rest = FuzzInput(input)
        let isInitiator = rest.byte() & 1 == 0
        var limits = StreamMachine.Limits()
        limits.unacknowledged = 100
        let role = isInitiator ? StreamMachine.Role.initiator(token: Fixture.repeated(2, 16)) : .responder
        var machine = StreamMachine(role: role, limits: limits)
        let parameters = StreamMachine.ChannelParameters(window: 64, chunk: 16)
        var now = Duration.zero
        var (delivered, written, readable, ends) = (0, 0, 0, 0)
        // The number of bytes taken from the app, and the highest number that the peer has
        // acknowledged.
        var (given, acknowledged) = (UInt64(0), UInt64(0))
        func take(_ actions: [StreamMachine.Action]) throws {
            for action in actions {
                switch action {
                case .send(let frame, _):
                    try FuzzFinding.unless("what is sent can be encoded") { try !FrameEncoder.encode(frame).isEmpty }
                case .deliver(let bytes): delivered += bytes.count
                case .readLocal(let maximum):
                    readable = maximum
                    try FuzzFinding.unless("no more is kept than may be, whatever the peer says that it takes") {
                        given + UInt64(maximum) <= min(acknowledged, .max - 100) + 100
                    }
                case .finished, .failed: ends += 1
                default: break
                }
            }
            try FuzzFinding.unless("what waits for the app stays within the window") { delivered - written <= 64 }
            try FuzzFinding.unless("a pair ends once") { ends <= 1 }
        }
        while !rest.isEmpty {
            let event: StreamMachine.Event
            switch rest.byte() % 12 {
            case 0:
                let generation = UInt32(rest.byte())
                guard let frame = try Frame(body: rest.piece()) else { continue }
                switch frame {
                case .attach(let attach): acknowledged = max(acknowledged, attach.nextOffset)
                case .attached(let attached): acknowledged = max(acknowledged, attached.nextOffset)
                case .ack(let ack): acknowledged = max(acknowledged, ack.offset)
                default: break
                }
                if case .attach(let attach) = frame {
                    event = .attach(attach, parameters)
                } else {
                    event = .received(frame, generation: generation)
                }
            case 1 where isInitiator: event = .opened(generation: machine.nextGeneration, parameters)
            case 1:
                let attach = Attach(
                    token: Fixture.repeated(2, 16), generation: machine.nextGeneration, nextOffset: 0, window: 64)
                event = .attach(attach, parameters)
            case 2:
                let count = min(Int(rest.byte()), readable)
                readable -= count
                given += UInt64(count)
                event = .localBytes(Fixture.repeated(7, count)[...])
            case 3:
                let count = min(Int(rest.byte()), delivered - written)
                written += count
                event = .written(count)
            case 4: event = .localEnd
            case 5: event = .closed(generation: UInt32(rest.byte()))
            case 6: event = .localRead
            case 8:
                let delivery = ChannelDelivery(
                    isWaiting: rest.byte() & 1 == 0, silence: .milliseconds(Int(rest.byte()) * 10),
                    patience: .seconds(1))
                event = .delivery(delivery, generation: UInt32(rest.byte()))
            case 9: event = .pathLost(generation: UInt32(rest.byte()))
            case 10: event = .asked(generation: UInt32(rest.byte()))
            case 11: event = .alternative(generation: machine.nextGeneration, parameters)
            default:
                now += .seconds(Int(rest.byte()))
                event = .time
            }
            try take(machine.handle(event, at: now))
        }
    }
}
