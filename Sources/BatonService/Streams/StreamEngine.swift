// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import NIOPosix

/// The way in which a pair of streams ended.
enum StreamOutcome: Hashable, Sendable {
    /// Both directions came to their ends, and their receivers have read all bytes.
    case complete
    /// The streams ended early.
    case failed(StreamMachine.Failure)
}

/// Carries out a ``StreamMachine`` between an app's Unix socket and a sequence of secure channels.
///
/// The engine runs on the event loop of the first channel.
final class StreamEngine {
    private static let limits = StreamMachine.Limits()

    /// The number of bytes that must be free before the app is read again. With fewer, each frame
    /// would be only as large as the space that was just freed.
    private static let leastRoom = 65_536

    private let eventLoop: any EventLoop
    private let clock: any DeviceClock
    private let isAppThere: @Sendable () async -> Bool
    private let tell: @Sendable (News) -> Void
    private var machine: StreamMachine
    /// The channels that are not closed yet, by their generations.
    private var channels: [UInt32: SecureChannel] = [:]
    private var app: AppSocket?
    private var alarm = Alarm()
    private let attached: EventLoopPromise<Void>
    private let ended: EventLoopPromise<StreamOutcome>
    private var outcome: StreamOutcome?
    /// Whether all bytes have arrived in both directions and the other side knows this.
    private var isOver = false
    /// The transport that carries the streams, or carried them last.
    private var transport: TransportKind
    private var follower = StreamFollower()
    /// The generation of the last channel whose own address this device has lost. It becomes `nil`
    /// when a stalled channel works again, because the address may be lost once more.
    private var lostPath: UInt32?
    /// The number of bytes that the machine takes from the app now, and the number of bytes that
    /// are not written yet.
    ///
    /// Acknowledgements do not show that bytes were written, because a peer that reads nothing can
    /// send them too.
    private var (capacity, unwritten) = (0, 0)
    /// The event that is being handled, followed by the events that came in the meantime.
    private var events: [StreamMachine.Event] = []

    /// A change of the streams' channel.
    enum News: Sendable {
        /// The streams use this channel from now on.
        case attached(SecureChannel)
        /// The streams have no channel. Another one may be attached until this uptime.
        case broken(until: Duration)
        /// The channel of a generation has stalled. `lost` is the endpoint of a channel that should
        /// have replaced the stalled one but failed; `nil` if there was none. `isPathLost` says
        /// whether this device has lost its own address of the stalled channel.
        case stalled(generation: UInt32, lost: Endpoint?, isPathLost: Bool)
        /// The channel that had stalled works again.
        case recovered
    }

    /// The controls of a pair of streams for its owner, on either side.
    struct Handle: Sendable {
        /// Succeeds once both sides are attached.
        let attached: EventLoopFuture<Void>
        /// Succeeds when the streams have ended.
        let ended: EventLoopFuture<StreamOutcome>
        /// Ends the streams early, because the app abandons them.
        let giveUp: @Sendable () -> Void
        /// Ends the streams early, because the app has not taken them.
        let expire: @Sendable () -> Void
        /// Ends the streams early, because this device stops or the other device was removed.
        let stop: @Sendable () -> Void
        /// Continues on another channel as soon as the other side agrees.
        ///
        /// The accepting side passes the frame that opened the channel. A channel that is not
        /// needed is closed.
        let attach: @Sendable (SecureChannel, Attach?) -> Void
        /// Continues on another channel if the present one is still stalled, or is gone.
        let relieve: @Sendable (SecureChannel) -> Void
        /// Handles the other side's request for a channel in place of a generation's.
        let reattach: @Sendable (UInt32) -> Void
        /// Handles the loss of this device's address on a channel.
        let pathLost: @Sendable (SecureChannel) -> Void
        /// Returns the progress, and reports each change from now on to this follower instead of
        /// the previous one; nil ends the reports. Returns nil if the streams have ended.
        let follow: @Sendable (AsyncStream<StreamProgress>.Continuation?) -> EventLoopFuture<StreamProgress?>
    }

    private var progress: StreamProgress {
        StreamProgress(
            sent: machine.sentCount, received: machine.receivedCount, transport: transport.rawValue,
            isWaiting: machine.isWaiting)
    }

    private init(
        _ role: StreamMachine.Role, over transport: TransportKind, on eventLoop: any EventLoop,
        _ clock: any DeviceClock,
        isAppThere: @escaping @Sendable () async -> Bool, tell: @escaping @Sendable (News) -> Void
    ) {
        self.isAppThere = isAppThere
        self.eventLoop = eventLoop
        self.clock = clock
        self.tell = tell
        self.transport = transport
        machine = StreamMachine(role: role, limits: Self.limits)
        attached = eventLoop.makePromise()
        ended = eventLoop.makePromise()
    }

    /// Runs a pair of streams on a new channel.
    ///
    /// - Parameters:
    ///   - first: The peer's frame that opened the channel, on the accepting side.
    ///   - descriptor: The daemon's end of the app's socket.
    ///   - isAppThere: Returns whether the app is still running. Called when the end of the socket
    ///     may be either an orderly end or a crash.
    ///   - tell: Called with each change of the channel, on the event loop.
    static func start(
        _ role: StreamMachine.Role, on secure: SecureChannel, first: Attach?, app descriptor: OwnedDescriptor,
        clock: any DeviceClock, isAppThere: @escaping @Sendable () async -> Bool,
        tell: @escaping @Sendable (News) -> Void = { _ in }
    ) async throws -> Handle {
        let eventLoop = secure.channel.eventLoop
        return try await eventLoop.flatSubmit {
            let engine = StreamEngine(
                role, over: secure.transport, on: eventLoop, clock, isAppThere: isAppThere, tell: tell)
            let bound = NIOLoopBound(engine, eventLoop: eventLoop)
            let handle = Handle(
                attached: engine.attached.futureResult, ended: engine.ended.futureResult,
                giveUp: { eventLoop.execute { bound.value.handle(.localFailed) } },
                expire: { eventLoop.execute { bound.value.handle(.notTaken) } },
                stop: { eventLoop.execute { bound.value.handle(.stopped) } },
                attach: { channel, first in eventLoop.execute { bound.value.attach(channel, first: first) } },
                relieve: { channel in eventLoop.execute { bound.value.relieve(with: channel) } },
                reattach: { generation in eventLoop.execute { bound.value.handle(.asked(generation: generation)) } },
                pathLost: { channel in eventLoop.execute { bound.value.pathLost(channel) } },
                follow: { sink in eventLoop.submit { bound.value.follow(sink) } })
            return AppSocket.open(descriptor, on: eventLoop) { event in
                bound.value.app(event)
            }.map { socket in
                bound.value.app = socket.value
                bound.value.attach(secure, first: first)
                return handle
            }.flatMapErrorThrowing { error in
                // The caller gets an error and no handle, so nothing else can end the engine.
                // Fulfil its promises here, because NIO ends a debug build if a promise is never
                // fulfilled.
                bound.value.finish(.failed(.localFailed))
                throw error
            }
        }.get()
    }

    private func attach(_ channel: SecureChannel, first: Attach?) {
        if let first, isOver || !machine.accepts(first) {
            channel.send(.reset(Reset(reason: .staleGeneration)))
            return channel.close()
        }
        let generation = first?.generation ?? machine.nextGeneration
        let opened = StreamMachine.Event.opened(generation: generation, channel.parameters)
        adopt(channel, as: generation, first.map { .attach($0, channel.parameters) } ?? opened)
    }

    /// Uses a channel that was dialled because the present one had stalled, unless the present one
    /// has recovered.
    private func relieve(with channel: SecureChannel) {
        look { engine in
            let generation = engine.machine.nextGeneration
            engine.adopt(channel, as: generation, .alternative(generation: generation, channel.parameters))
        }
    }

    private func pathLost(_ channel: SecureChannel) {
        guard let generation = channels.first(where: { $0.value === channel })?.key, generation != lostPath else {
            return
        }
        lostPath = generation
        if generation == machine.generation, machine.lacksChannelThatWorks {
            // The stall was noticed before its cause. Report the cause, too.
            tell(.stalled(generation: generation, lost: nil, isPathLost: true))
        } else {
            handle(.pathLost(generation: generation))
        }
    }

    private func follow(_ sink: AsyncStream<StreamProgress>.Continuation?) -> StreamProgress? {
        guard outcome == nil else {
            sink?.finish()
            return nil
        }
        follower.begin(sink, knowing: progress)
        return progress
    }

    /// Asks whether the bytes of the present channel are delivered.
    ///
    /// - Parameter done: Called after the answer was handled.
    private func look(then done: @escaping @Sendable (StreamEngine) -> Void = { _ in }) {
        guard let generation = machine.generation, let channel = channels[generation] else { return done(self) }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        channel.delivery().hop(to: eventLoop).whenComplete { result in
            let delivery = (try? result.get()) ?? nil
            bound.value.handle(.delivery(delivery, generation: generation))
            done(bound.value)
        }
    }

    /// Gives a channel to the machine, and then the channel's frames.
    private func adopt(_ channel: SecureChannel, as generation: UInt32, _ event: StreamMachine.Event) {
        channels[generation] = channel
        handle(event)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        // This closure runs on the channel's own event loop, which may differ from the engine's.
        channel.consume { [eventLoop] event in
            let inbox = channel.loopBoundInbox
            switch event {
            case .frame(let encoded):
                guard let frame = inbox.read(encoded) else { return }
                eventLoop.now { bound.value.handle(.received(frame, generation: generation)) }
            case .closed:
                let isOrderly = inbox.failure == nil
                eventLoop.now { bound.value.closed(generation, isOrderly: isOrderly) }
            }
        }
    }

    /// Handles the end of a channel.
    ///
    /// The initiator ends the channel with TLS's close_notify once all bytes have arrived in both
    /// directions. Then it does not attach another channel. The initiator may attach another
    /// channel after this side has closed the channel.
    private func closed(_ generation: UInt32, isOrderly: Bool) {
        let isClosedThere = isOrderly && channels[generation] != nil
        isOver = isOver || (outcome == .complete && isClosedThere)
        handle(.closed(generation: generation))
    }

    private func app(_ event: AppSocket.Event) {
        switch event {
        case .bytes(let bytes): handle(.localBytes(bytes))
        case .ended: handle(.localEnd)
        case .hungUp: decide()
        case .written(let count): handle(.written(count))
        case .read: handle(.localRead)
        case .failed: handle(.localFailed)
        }
    }

    /// Decides whether the app has ended its output or has crashed. An app that is still running
    /// has ended its output.
    private func decide() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        Task { [eventLoop, isAppThere] in
            let event: StreamMachine.Event = await isAppThere() ? .localEnd : .localFailed
            eventLoop.execute { bound.value.handle(event) }
        }
    }

    /// Handles an event, and then the events that came in the meantime.
    ///
    /// An action may cause another event at once. That event waits until all actions of the present
    /// event are done.
    private func handle(_ event: StreamMachine.Event) {
        events.append(event)
        guard events.count == 1 else { return }
        while let event = events.first {
            for action in machine.handle(event, at: clock.uptime) { perform(action) }
            if case .closed(let generation) = event { channels[generation] = nil }
            events.removeFirst()
        }
        follower.tell(progress)
        setAlarm()
    }

    private func perform(_ action: StreamMachine.Action) {
        switch action {
        case .send(let frame, let generation): channels[generation].map { send(frame, on: $0) }
        case .deliver(let bytes): app?.write(bytes)
        case .finishLocal: app?.finish()
        case .readLocal(let maximum):
            capacity = maximum
            readApp()
        case .closeChannel(let generation): channels.removeValue(forKey: generation)?.close()
        case .abandonChannel(let generation): channels.removeValue(forKey: generation)?.abandon()
        case .look: look()
        case .stalled(let generation, let lost):
            let endpoint = lost.flatMap { channels[$0]?.remote }
            tell(.stalled(generation: generation, lost: endpoint, isPathLost: generation == lostPath))
        case .recovered:
            lostPath = nil
            tell(.recovered)
        case .attached(let generation):
            attached.succeed()
            guard let channel = channels[generation] else { return }
            transport = channel.transport
            tell(.attached(channel))
        case .broken(let deadline): tell(.broken(until: deadline))
        case .finished: finish(.complete)
        case .failed(let failure): finish(.failed(failure))
        }
    }

    private func send(_ frame: Frame, on channel: SecureChannel) {
        guard case .data(let data) = frame else { return channel.send(frame) }
        // Count the overhead too. Otherwise an app that writes single bytes faster than the channel
        // sends them could make a million frames wait.
        let cost = data.bytes.count + FrameCodec.overhead
        unwritten += cost
        channel.channel.writeAndFlush(frame).hop(to: eventLoop).assumeIsolated().whenComplete { _ in
            self.unwritten -= cost
            self.readApp()
        }
    }

    private func readApp() {
        let room = Self.limits.unacknowledged - unwritten
        app?.read(maximum: room < Self.leastRoom ? 0 : min(capacity, room))
    }

    private func finish(_ outcome: StreamOutcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        follower.end()
        app?.close()
        app = nil
        attached.fail(PeerLink.unavailable)
        ended.succeed(outcome)
    }

    private func setAlarm() {
        let deadline = isOver ? nil : machine.deadline
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        alarm.set(to: deadline, clock) { [eventLoop] in
            eventLoop.execute { bound.value.alarmWentOff(deadline) }
        }
    }

    private func alarmWentOff(_ deadline: Duration?) {
        guard alarm.deadline == deadline else { return }
        alarm.wentOff()
        handle(.time)
    }
}

extension EventLoop {
    /// Runs work on this event loop, at once if the caller is already on it.
    fileprivate func now(_ work: @escaping @Sendable () -> Void) {
        if inEventLoop { work() } else { execute(work) }
    }
}

extension SecureChannel {
    /// The channel's parameters for the machine.
    fileprivate var parameters: StreamMachine.ChannelParameters {
        StreamMachine.ChannelParameters(window: traits.streamWindow, chunk: traits.streamChunk)
    }
}
