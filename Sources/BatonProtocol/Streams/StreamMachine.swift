// SPDX-License-Identifier: Apache-2.0

public import TransportModel

/// The state of one pair of continuation streams, over one channel or several in sequence.
///
/// This type is a state machine without I/O: it takes events, and returns actions to be carried out
/// in order. Times are uptimes. Source: `Documentation/Protocol/Streams.md`.
public struct StreamMachine: Sendable {
    /// The maximum window that a side may announce, in bytes.
    public static let maximumWindow: UInt32 = 4_194_304
    /// The side of the channel on which a machine runs.
    public enum Role: Hashable, Sendable {
        /// The side that dials, attaches channels, and closes at the end. The initiator has the
        /// token.
        case initiator(token: [UInt8])
        /// The side that is dialled.
        case responder
    }

    /// This side's parameters for one channel.
    public struct ChannelParameters: Hashable, Sendable {
        /// The maximum number of bytes that this side holds until its app takes them, 1 byte to 4
        /// MiB.
        ///
        /// On L2CAP, the window is 64 KiB, which is half of the receive buffer.
        public var window: UInt32
        /// The maximum number of bytes in one ``StreamData``, 1 byte to 512 KiB.
        public var chunk: Int

        /// Creates the parameters of a channel.
        ///
        /// Values out of range are changed to the nearest limit.
        public init(window: UInt32, chunk: Int) {
            self.window = min(max(window, 1), StreamMachine.maximumWindow)
            self.chunk = min(max(chunk, 1), 524_288)
        }
    }

    /// An event for a pair of streams.
    public enum Event: Hashable, Sendable {
        /// Initiator: a channel was dialled.
        ///
        /// `generation` is at least ``StreamMachine/nextGeneration``.
        case opened(generation: UInt32, ChannelParameters)
        /// Initiator: a channel was dialled because the present one has stalled.
        ///
        /// The new channel is closed again if bytes have got through on the present one meanwhile.
        case alternative(generation: UInt32, ChannelParameters)
        /// Responder: an attachment arrived on a new channel, and ``StreamMachine/accepts(_:)`` is
        /// true for it.
        case attach(Attach, ChannelParameters)
        /// The peer sent a frame on a generation's channel.
        ///
        /// The Attach that begins a channel is reported as ``attach(_:_:)`` instead.
        case received(Frame, generation: UInt32)
        /// Bytes from the app, at most as many as the last ``Action/readLocal(maximum:)`` allowed.
        case localBytes(ArraySlice<UInt8>)
        /// The app has ended its stream.
        case localEnd
        /// The given number of further bytes of ``Action/deliver(_:)`` were written to the app.
        case written(Int)
        /// The app has read everything, after ``Action/finishLocal``.
        case localRead
        /// The app's descriptor failed.
        case localFailed
        /// The app did not take the streams in time.
        case notTaken
        /// This device ends all streams with the other device.
        ///
        /// Either the daemon stops, or the other device is no longer a member of this device's
        /// circle.
        case stopped
        /// The answer to ``Action/look(generation:)``; `nil` if the transport has no information.
        case delivery(ChannelDelivery?, generation: UInt32)
        /// The system has lost the address at this end of a generation's channel.
        case pathLost(generation: UInt32)
        /// Initiator: the peer asks for a channel in place of a generation's (``Reattach``).
        case asked(generation: UInt32)
        /// A channel ended or broke.
        case closed(generation: UInt32)
        /// ``StreamMachine/deadline`` has passed.
        case time
    }

    /// An action for the caller.
    public enum Action: Hashable, Sendable {
        /// Send a frame on the channel of a generation.
        case send(Frame, generation: UInt32)
        /// Write bytes to the app, then report ``Event/written(_:)``.
        ///
        /// At most one window of bytes waits to be written.
        case deliver(ArraySlice<UInt8>)
        /// All bytes of the incoming stream were written to the app.
        ///
        /// End the app's incoming stream, and report ``Event/localRead`` once the app has read
        /// everything.
        case finishLocal
        /// Take at most this many bytes from the app from now on, instead of the previous maximum.
        case readLocal(maximum: Int)
        /// Close a generation's channel after everything sent was flushed.
        case closeChannel(generation: UInt32)
        /// Close a generation's channel at once. The waiting frames are not needed any more.
        case abandonChannel(generation: UInt32)
        /// Ask the transport whether the bytes of a generation's channel are delivered.
        case look(generation: UInt32)
        /// A generation's channel has stalled.
        ///
        /// Initiator: dial another one, and report ``Event/alternative(generation:_:)``. Responder:
        /// ask the peer with ``Reattach``. `lost` is the generation of the channel that should have
        /// replaced this one, and failed; `nil` if there was none.
        case stalled(generation: UInt32, lost: UInt32? = nil)
        /// The channel that had stalled works again, so no other one is needed.
        case recovered(generation: UInt32)
        /// A generation's channel now carries the streams.
        case attached(generation: UInt32)
        /// The channel has broken. A new channel may be attached until an uptime.
        case broken(until: Duration)
        /// Both streams have ended without loss. The machine only has to close.
        case finished
        /// The streams failed. The machine only has to close.
        case failed(Failure)
    }

    /// The reason why streams failed.
    public enum Failure: Hashable, Sendable {
        /// The app's descriptor failed.
        case localFailed
        /// The app here did not take the streams in time.
        case notTaken
        /// This device ends all streams with the other device.
        case stopped
        /// The peer abandoned the streams.
        case reset(Reset.Reason)
        /// The peer broke a rule.
        case protocolViolation(String)
        /// The channel broke, and no new channel was attached in time.
        case broken
        /// An attachment was not answered in time.
        case attachTimedOut
    }

    struct Channel: Hashable, Sendable {
        let generation: UInt32
        let parameters: ChannelParameters
    }

    /// An attachment that the peer has not answered yet.
    struct Attachment: Sendable {
        let channel: Channel
        let invitation: IncomingStream.Invitation
        let deadline: Duration
    }

    enum Phase: Hashable, Sendable {
        case running
        /// The responder has finished, and waits for the initiator to close the channel.
        ///
        /// At the deadline, this side closes the channel itself. After the channel's end, a new
        /// attachment is answered until the next deadline, because the initiator perhaps does not
        /// know that everything is done.
        case lingering(deadline: Duration)
        /// A Reset was sent. This side waits for the peer to close the channel, so that the Reset
        /// is not lost.
        case resetting(deadline: Duration)
        case over
    }

    let role: Role
    let limits: Limits
    var phase = Phase.running
    var active: Channel?
    var attachment: Attachment?
    var highestGeneration: UInt32 = 0
    var breakDeadline: Duration?
    var outgoing = OutgoingStream()
    var incoming = IncomingStream()
    var watch = DeliveryWatch()
    var quiet = QuietStream()
    /// The uptime at which the peer may ask for a whole burst of channels again.
    var asksRestored: Duration?
    var toldFinish = false
    var toldCapacity = 0

    /// Creates a pair of streams without a channel.
    public init(role: Role, limits: Limits = Limits()) {
        self.role = role
        self.limits = limits
    }

    /// The uptime at which ``Event/time`` is due; `nil` if the machine waits for nothing.
    public var deadline: Duration? {
        switch phase {
        case .running:
            [attachment?.deadline, breakDeadline, watch.nextLook, quiet.deadline].compactMap(\.self).min()
        case .lingering(let deadline), .resetting(let deadline): deadline
        case .over: nil
        }
    }

    /// The lowest generation for a new channel.
    public var nextGeneration: UInt32 { highestGeneration + 1 }

    /// The generation of the channel that carries the streams; `nil` if there is none.
    public var generation: UInt32? { active?.generation }

    /// Whether the present channel has stalled, and no other channel is being attached.
    public var lacksChannelThatWorks: Bool { phase == .running && watch.stall != nil && attachment == nil }

    /// Whether the machine can be forgotten: it is done, and its channels are being closed.
    public var isDone: Bool { phase == .over }

    /// Returns whether the responder can accept an attachment now.
    ///
    /// If not, answer with Reset and close.
    public func accepts(_ attach: Attach) -> Bool {
        guard role == .responder, attach.generation > highestGeneration, attach.generation < .max else { return false }
        switch phase {
        case .running, .lingering: return true
        case .resetting, .over: return false
        }
    }

    /// Processes an event, and returns the actions that follow.
    ///
    /// Carry out all actions in order before the next event. If one frame overtakes another, the
    /// peer sees a gap.
    ///
    /// - Parameter now: The present uptime.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        var actions: [Action]
        do throws(StreamViolation) {
            actions = try take(event, at: now)
        } catch {
            actions = violated(error, at: now)
        }
        actions += advance(at: now)
        if let active, actions.contains(where: { $0.isSending(on: active.generation) }) { watch.sent(at: now) }
        let capacity = active == nil || phase != .running ? 0 : outgoing.capacity(keeping: limits.unacknowledged)
        if capacity != toldCapacity {
            toldCapacity = capacity
            actions.append(.readLocal(maximum: capacity))
        }
        return actions
    }
}

extension StreamMachine.Action {
    fileprivate func isSending(on generation: UInt32) -> Bool {
        if case .send(_, generation) = self { true } else { false }
    }
}
