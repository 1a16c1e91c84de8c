// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Glibc
internal import L2CAP
internal import Synchronization

/// Carries bytes between a credit-based channel and one end of a pair of sockets, of which NIO has
/// the other.
///
/// NIO ends the process when a socket has hung up and a read tells neither an end nor an error. The
/// kernel's channels do that once it has ended one by itself, as for an SDU that is too long, which
/// anybody near can send (Decisions/0084-nio-has-no-l2cap-sockets.md). And one system call sends
/// one SDU, so that of any writes this makes such as the peer takes.
struct SDURelay {
    /// How long the peer may take for what was sent before NIO closed its end, and NIO for what
    /// came before the channel took no more.
    private static let patience = Duration.seconds(2)

    private let channel: CInt
    private let socket: CInt
    private let outcome: Outcome
    private let traffic: ChannelTraffic
    /// What the peer sends, and what it gets.
    private var received: RelayFlow
    private var sent: RelayFlow
    private var hungUp: Set<CInt> = []
    private var deadline: ContinuousClock.Instant?

    /// Why a channel has ended.
    final class Outcome: Sendable {
        private let stored = Mutex<TransportError?>(nil)

        /// The first failure; nil for an ordinary end.
        var failure: TransportError? { stored.withLock { $0 } }

        fileprivate func fail(_ error: L2CAPError) {
            stored.withLock { $0 = $0 ?? TransportError(error) }
        }
    }

    /// - Parameters:
    ///   - channel: A connected credit-based channel, which is owned here from now on.
    ///   - socket: The near end of a pair of stream sockets, likewise.
    ///   - sendMTU: The largest SDU that the peer takes, in bytes.
    ///   - receiveMTU: The largest that it may send.
    ///   - outcome: Told why the channel ends, before NIO sees it.
    ///   - traffic: Told how much goes over the channel.
    init(channel: CInt, socket: CInt, sendMTU: Int, receiveMTU: Int, outcome: Outcome, traffic: ChannelTraffic) {
        self.channel = channel
        self.socket = socket
        self.outcome = outcome
        self.traffic = traffic
        received = RelayFlow(from: channel, to: socket, capacity: receiveMTU)
        sent = RelayFlow(from: socket, to: channel, capacity: sendMTU)
    }

    /// Returns when either side has ended; both descriptors are closed then. It keeps its thread.
    mutating func run() {
        while !moveIsLast(), !isOverdue {
            traffic.moved(received.takeMoved() + sent.takeMoved())
            if case .moves = received.state { continue }
            if case .moves = sent.state { continue }
            wait()
        }
        // NIO is told first: the kernel may take the thread that closes a channel
        // (``ChannelCloser``).
        L2CAPSocket.close(socket)
        L2CAPSocket.close(channel)
    }

    /// Moves bytes both ways.
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

    /// What is left has a while to go where it is to go.
    private mutating func beginToEnd() { deadline = deadline ?? .now + Self.patience }

    private var isOverdue: Bool { deadline.map { $0 <= .now } ?? false }

    /// Waits until bytes can be moved, or the time for what was left is over.
    private mutating func wait() {
        var polled = [channel, socket].compactMap { descriptor -> pollfd? in
            let events = received.events(on: descriptor) | sent.events(on: descriptor)
            // Once that it has hung up is known, poll(2) would tell it again and again.
            if events == 0, hungUp.contains(descriptor) { return nil }
            return pollfd(fd: descriptor, events: Int16(events), revents: 0)
        }
        poll(&polled, nfds_t(polled.count), timeLeft)
        for entry in polled where CInt(entry.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0 {
            hungUp.insert(entry.fd)
            if entry.fd == socket { beginToEnd() }
        }
    }

    /// As poll(2) wants it: milliseconds, or -1.
    private var timeLeft: CInt {
        guard let deadline else { return -1 }
        return max(0, CInt((ContinuousClock.now.duration(to: deadline) / .milliseconds(1)).rounded(.up)))
    }
}
