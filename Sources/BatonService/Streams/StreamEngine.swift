// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import NIOCore
import NIOPosix

/// How a pair of streams ended.
enum StreamOutcome: Hashable, Sendable {
    /// Both directions came to their ends, and were read there.
    case complete
    /// They ended before their time.
    case failed(StreamMachine.Failure)
}

/// Carries out a ``StreamMachine`` between a secure channel and an app's Unix socket, all on the
/// channel's event loop.
final class StreamEngine {
    /// Windows and chunks for a transport: on a radio what fits half a socket's receive buffer; on
    /// TCP, where memory is all that limits, more (Decisions/0004-stream-windows.md).
    static func parameters(for transport: TransportKind) -> StreamMachine.ChannelParameters {
        switch transport {
        case .l2cap: StreamMachine.ChannelParameters(window: 65_536, chunk: 8_192)
        case .tcp, .simulated: StreamMachine.ChannelParameters(window: 1_048_576, chunk: 65_536)
        }
    }

    /// This version ends streams whose channel breaks; the machine could resume them.
    private static var limits: StreamMachine.Limits {
        var limits = StreamMachine.Limits()
        limits.resume = .zero
        return limits
    }

    /// As much as this must be free before the app is read again: less would go out in frames as
    /// small as the room that each leaves.
    private static let leastRoom = 65_536

    private let eventLoop: any EventLoop
    private let clock: any DeviceClock
    private let isAppThere: @Sendable () async -> Bool
    private let secure: SecureChannel
    private var machine: StreamMachine
    private var app: AppSocket?
    private var alarm: (deadline: Duration, task: Scheduled<Void>)?
    private let attached: EventLoopPromise<Void>
    private let ended: EventLoopPromise<StreamOutcome>
    private var outcome: StreamOutcome?
    /// How much the machine takes from the app now, and how much memory that has what it took and
    /// the channel has not written yet. Acknowledgements are no proof of that: a peer that reads
    /// nothing can send them all the same.
    private var (capacity, unwritten) = (0, 0)
    /// The event that is being handled, and those that came meanwhile.
    private var events: [StreamMachine.Event] = []

    /// The end of the streams, on either side.
    struct Handle: Sendable {
        /// Succeeds once both sides are attached.
        let attached: EventLoopFuture<Void>
        /// Succeeds when the streams have ended.
        let ended: EventLoopFuture<StreamOutcome>
        /// Ends them before their time: the app does not want them any more.
        let giveUp: @Sendable () -> Void
        /// Ends them before their time: the app has not taken them.
        let expire: @Sendable () -> Void
    }

    private init(
        _ role: StreamMachine.Role, _ secure: SecureChannel, _ clock: any DeviceClock,
        isAppThere: @escaping @Sendable () async -> Bool
    ) {
        self.isAppThere = isAppThere
        eventLoop = secure.channel.eventLoop
        self.clock = clock
        self.secure = secure
        machine = StreamMachine(role: role, limits: Self.limits)
        attached = eventLoop.makePromise()
        ended = eventLoop.makePromise()
    }

    /// Runs a pair of streams on a fresh channel.
    ///
    /// - Parameters:
    ///   - first: the peer's frame that opened the channel, on the accepting side.
    ///   - descriptor: the daemon's end of the app's socket.
    ///   - isAppThere: asked when the socket is gone and the app's end may be an end or a crash.
    static func start(
        _ role: StreamMachine.Role, on secure: SecureChannel, first: Attach?, app descriptor: OwnedDescriptor,
        clock: any DeviceClock, isAppThere: @escaping @Sendable () async -> Bool
    ) async throws -> Handle {
        try await secure.channel.eventLoop.flatSubmit {
            let engine = StreamEngine(role, secure, clock, isAppThere: isAppThere)
            let bound = NIOLoopBound(engine, eventLoop: secure.channel.eventLoop)
            let handle = Handle(
                attached: engine.attached.futureResult, ended: engine.ended.futureResult,
                giveUp: { secure.channel.eventLoop.execute { bound.value.handle(.localFailed) } },
                expire: { secure.channel.eventLoop.execute { bound.value.handle(.notTaken) } })
            return AppSocket.open(descriptor, on: secure.channel.eventLoop) { event in
                bound.value.app(event)
            }.map { socket in
                bound.value.begin(socket.value, first: first)
                return handle
            }
        }.get()
    }

    private func begin(_ socket: AppSocket, first: Attach?) {
        app = socket
        let parameters = Self.parameters(for: secure.transport)
        let generation = first?.generation ?? machine.nextGeneration
        handle(first.map { .attach($0, parameters) } ?? .opened(generation: generation, parameters))
        secure.loopBoundInbox.setConsumer { event in
            switch event {
            case .frame(let encoded):
                guard let frame = self.secure.loopBoundInbox.read(encoded) else { return }
                self.handle(.received(frame, generation: generation))
            case .closed: self.handle(.closed(generation: generation))
            }
        }
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

    /// An app that is still there has ended; one that has gone may have crashed in the middle.
    private func decide() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        Task { [eventLoop, isAppThere] in
            let event: StreamMachine.Event = await isAppThere() ? .localEnd : .localFailed
            eventLoop.execute { bound.value.handle(event) }
        }
    }

    /// Sockets may answer at once; their answers wait until all that the event before them asked
    /// for is done.
    private func handle(_ event: StreamMachine.Event) {
        events.append(event)
        guard events.count == 1 else { return }
        while let event = events.first {
            for action in machine.handle(event, at: clock.uptime) { perform(action) }
            events.removeFirst()
        }
        setAlarm()
        if machine.isDone { secure.loopBoundInbox.removeConsumer() }
    }

    private func perform(_ action: StreamMachine.Action) {
        switch action {
        case .send(let frame, _): send(frame)
        case .deliver(let bytes): app?.write(bytes)
        case .finishLocal: app?.finish()
        case .readLocal(let maximum):
            capacity = maximum
            readApp()
        case .closeChannel: secure.close()
        case .attached: attached.succeed()
        case .broken: break
        case .finished: finish(.complete)
        case .failed(let failure): finish(.failed(failure))
        }
    }

    private func send(_ frame: Frame) {
        guard case .data(let data) = frame else { return secure.channel.writeAndFlush(frame, promise: nil) }
        // With the overhead: an app that writes byte by byte, faster than the channel does, would
        // have a million frames wait.
        let cost = data.bytes.count + FrameCodec.overhead
        unwritten += cost
        secure.channel.writeAndFlush(frame).assumeIsolated().whenComplete { _ in
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
        app?.close()
        app = nil
        attached.fail(PeerLink.unavailable)
        ended.succeed(outcome)
    }

    private func setAlarm() {
        let deadline = machine.deadline
        guard deadline != alarm?.deadline else { return }
        alarm?.task.cancel()
        alarm = deadline.map { deadline in
            let delay = max(deadline - clock.uptime, .zero)
            let task = eventLoop.assumeIsolated().scheduleTask(in: .init(delay)) {
                self.alarm = nil
                self.handle(.time)
            }
            return (deadline, task)
        }
    }
}
