// SPDX-License-Identifier: Apache-2.0

/// One pair of continuation streams, over one channel or, moving, several:
/// `Documentation/Protocol/Streams.md`.
///
/// A state machine without I/O: events in, actions out, in the order in which they are to be
/// carried out. Times are uptimes.
public struct StreamMachine: Sendable {
    /// The largest window that a peer may have, in bytes.
    public static let maximumWindow: UInt32 = 4_194_304
    /// Which side a machine plays.
    public enum Role: Hashable, Sendable {
        /// Dials, attaches and closes at the end; has the token.
        case initiator(token: [UInt8])
        /// Is dialled.
        case responder
    }

    /// What this side says about one channel.
    public struct ChannelParameters: Hashable, Sendable {
        /// How many bytes this side holds that its app has not taken yet, 1 to 4 MiB: 64 KiB on
        /// L2CAP (at most half of the receive buffer).
        public var window: UInt32
        /// The most bytes that one ``StreamData`` carries, 1 to 512 KiB.
        public var chunk: Int

        /// The parameters of a channel; values outside of the ranges are brought into them.
        public init(window: UInt32, chunk: Int) {
            self.window = min(max(window, 1), StreamMachine.maximumWindow)
            self.chunk = min(max(chunk, 1), 524_288)
        }
    }

    /// What happens to a pair of streams.
    public enum Event: Hashable, Sendable {
        /// Initiator: a channel was dialled. `generation` is ``StreamMachine/nextGeneration`` or
        /// higher.
        case opened(generation: UInt32, ChannelParameters)
        /// Responder: an attachment that ``StreamMachine/accepts(_:)`` came on a new channel.
        case attach(Attach, ChannelParameters)
        /// The peer sent a frame on the channel of a generation (the responder's first Attach is
        /// ``attach(_:_:)`` instead).
        case received(Frame, generation: UInt32)
        /// Bytes were taken from the app, at most what ``Action/readLocal(maximum:)`` said last.
        case localBytes(ArraySlice<UInt8>)
        /// The app has ended its stream.
        case localEnd
        /// So many more of the bytes of ``Action/deliver(_:)`` were written to the app.
        case written(Int)
        /// The app has read all of it, after ``Action/finishLocal``.
        case localRead
        /// The app's descriptor failed.
        case localFailed
        /// The app was told of the streams and did not take them in time.
        case notTaken
        /// This device ends all that it has with the other: it stops, or the other is no member of
        /// its circle any more.
        case stopped
        /// A channel ended or broke.
        case closed(generation: UInt32)
        /// ``StreamMachine/deadline`` has come.
        case time
    }

    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Send a frame on the channel of a generation.
        case send(Frame, generation: UInt32)
        /// Write bytes to the app, then say ``Event/written(_:)``; at most the window's size waits
        /// at any time.
        case deliver(ArraySlice<UInt8>)
        /// Everything was written: end the app's incoming stream, and say ``Event/localRead`` once
        /// the app has read all.
        case finishLocal
        /// Take at most so many bytes from the app now; replaces what was said before.
        case readLocal(maximum: Int)
        /// Close the channel of a generation once what was sent has been flushed.
        case closeChannel(generation: UInt32)
        /// The streams are attached on a generation's channel.
        case attached(generation: UInt32)
        /// There is no channel; a new one may be attached until an uptime.
        case broken(until: Duration)
        /// Both streams came to their ends, nothing lost. The machine is done but for closing.
        case finished
        /// The streams ended before their time. The machine is done but for closing.
        case failed(Failure)
    }

    /// Why streams ended before their time.
    public enum Failure: Hashable, Sendable {
        /// The app's descriptor failed.
        case localFailed
        /// The app here did not take them in time.
        case notTaken
        /// This device ends all that it has with the other.
        case stopped
        /// The peer gave them up.
        case reset(Reset.Reason)
        /// The peer broke a rule.
        case protocolViolation(String)
        /// The channel broke, and no other came in time.
        case broken
        /// An attachment was not answered in time.
        case attachTimedOut
    }

    struct Channel: Hashable, Sendable {
        let generation: UInt32
        let parameters: ChannelParameters
    }

    /// An attachment that was not answered yet.
    struct Attachment: Sendable {
        let channel: Channel
        let invitation: IncomingStream.Invitation
        let deadline: Duration
    }

    enum Phase: Hashable, Sendable {
        case running
        /// Responder: all is done, the initiator is to close; a new attachment is answered in case
        /// it does not know yet.
        case lingering(deadline: Duration)
        /// A Reset was sent; the peer is to close, so that the Reset is not lost.
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
    var toldFinish = false
    var toldCapacity = 0

    /// A pair of streams without a channel yet.
    public init(role: Role, limits: Limits = Limits()) {
        self.role = role
        self.limits = limits
    }

    /// When ``Event/time`` is due at the latest, as an uptime; `nil` when nothing is waited for.
    public var deadline: Duration? {
        switch phase {
        case .running: [attachment?.deadline, breakDeadline].compactMap(\.self).min()
        case .lingering(let deadline), .resetting(let deadline): deadline
        case .over: nil
        }
    }

    /// The lowest generation that a new channel may have.
    public var nextGeneration: UInt32 { highestGeneration + 1 }

    /// Whether the machine is done and every channel of it closed or told to close: it can be
    /// forgotten.
    public var isDone: Bool { phase == .over }

    /// Responder: whether an attachment may be made now; if not, answer it with Reset and close its
    /// channel.
    public func accepts(_ attach: Attach) -> Bool {
        guard role == .responder, attach.generation > highestGeneration, attach.generation < .max else { return false }
        switch phase {
        case .running, .lingering: return true
        case .resetting, .over: return false
        }
    }

    /// Takes an event and says what is to be done, in order. Carry out all of it before the next
    /// event: a frame that overtakes another is a gap.
    ///
    /// - Parameter now: The uptime.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        var actions: [Action]
        do throws(StreamViolation) {
            actions = try take(event, at: now)
        } catch {
            actions = violated(error, at: now)
        }
        actions += advance(at: now)
        let capacity = active == nil || phase != .running ? 0 : outgoing.capacity(keeping: limits.unacknowledged)
        if capacity != toldCapacity {
            toldCapacity = capacity
            actions.append(.readLocal(maximum: capacity))
        }
        return actions
    }
}
