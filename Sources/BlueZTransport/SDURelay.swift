// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Glibc
internal import L2CAP
internal import Synchronization

/// Carries bytes between a credit-based channel and a stream socket, whose other end NIO uses.
///
/// NIO ends the process when a socket has hung up but a read reports neither an end nor an error. A
/// channel behaves in this way after the kernel itself has closed it. The kernel closes a channel
/// after an SDU that is too long, which any device nearby can send
/// (Decisions/0084-nio-has-no-l2cap-sockets.md).
///
/// The relay also turns writes of any size into SDUs that the peer accepts, because one system call
/// sends one SDU.
struct SDURelay {
    /// How long it may take to deliver the remaining bytes after one side has closed.
    private static let patience = Duration.seconds(2)

    private let channel: CInt
    private let socket: CInt
    private let outcome: Outcome
    private let traffic: ChannelTraffic
    private let gauge: SendGauge
    /// The flow from the peer, and the flow to the peer.
    private var received: RelayFlow
    private var sent: RelayFlow
    private var hungUp: Set<CInt> = []
    private var deadline: ContinuousClock.Instant?

    /// The reason why a channel ended.
    final class Outcome: Sendable {
        private let stored = Mutex<TransportError?>(nil)

        /// The first failure, or `nil` for an ordinary end.
        var failure: TransportError? { stored.withLock { $0 } }

        fileprivate func fail(_ error: L2CAPError) {
            stored.withLock { $0 = $0 ?? TransportError(error) }
        }
    }

    /// Creates a relay.
    ///
    /// - Parameters:
    ///   - channel: A connected credit-based channel, whose ownership is taken over.
    ///   - socket: The near end of a pair of stream sockets, whose ownership is taken over.
    ///   - sendMTU: The largest SDU that the peer accepts, in bytes.
    ///   - receiveMTU: The largest SDU that the peer may send, in bytes.
    ///   - outcome: The object that receives the reason for the channel's end before NIO sees the
    ///     end.
    ///   - traffic: The counter of the bytes that move over the channel.
    ///   - gauge: The record of whether the channel takes bytes.
    init(
        channel: CInt, socket: CInt, sendMTU: Int, receiveMTU: Int, outcome: Outcome, traffic: ChannelTraffic,
        gauge: SendGauge
    ) {
        self.channel = channel
        self.socket = socket
        self.outcome = outcome
        self.traffic = traffic
        self.gauge = gauge
        received = RelayFlow(from: channel, to: socket, capacity: receiveMTU)
        sent = RelayFlow(from: socket, to: channel, capacity: sendMTU)
    }

    /// Moves bytes until either side has ended, then closes both descriptors. Blocks its thread.
    mutating func run() {
        while !moveIsLast(), !isOverdue {
            let taken = sent.takeMoved()
            traffic.moved(received.takeMoved() + taken)
            gauge.turned(hasTaken: taken > 0, isWaiting: sent.waitsToWrite)
            if case .moves = received.state { continue }
            if case .moves = sent.state { continue }
            wait()
        }
        // Close the socket first, because the kernel may kill the thread that closes a channel
        // (``ChannelCloser``).
        L2CAPSocket.close(socket)
        L2CAPSocket.close(channel)
    }

    /// Moves bytes in both directions.
    ///
    /// - Returns: Whether there is nothing left to do.
    private mutating func moveIsLast() -> Bool {
        if !received.isOver {
            received.move(hungUp: hungUp)
            switch received.state {
            case .moves, .waitsToRead, .waitsToWrite: break
            case .ended: return true
            case .failed(let error):
                outcome.fail(error)
                return true
            // NIO has closed its end.
            case .refused: beginToEnd()
            }
        }
        if !sent.isOver {
            sent.move(hungUp: hungUp)
            switch sent.state {
            case .moves, .waitsToRead, .waitsToWrite: break
            case .ended, .failed: return true
            case .refused(let error):
                outcome.fail(error)
                if error.code == .brokenLink { return true }
                beginToEnd()
            }
        }
        return received.isOver && sent.isOver
    }

    /// Starts the time limit for delivering the remaining bytes.
    private mutating func beginToEnd() { deadline = deadline ?? .now + Self.patience }

    private var isOverdue: Bool { deadline.map { $0 <= .now } ?? false }

    /// Waits until bytes can be moved, or until the time limit.
    private mutating func wait() {
        var polled = [channel, socket].compactMap { descriptor -> pollfd? in
            let events = received.events(on: descriptor) | sent.events(on: descriptor)
            // Leave this descriptor out, because poll(2) would report its hang-up again and again.
            if events == 0, hungUp.contains(descriptor) { return nil }
            return pollfd(fd: descriptor, events: Int16(events), revents: 0)
        }
        poll(&polled, nfds_t(polled.count), DescriptorWatcher.milliseconds(until: deadline))
        for entry in polled where CInt(entry.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0 {
            hungUp.insert(entry.fd)
            if entry.fd == socket { beginToEnd() }
        }
    }
}
