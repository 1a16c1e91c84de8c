// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import Glibc
internal import L2CAP
internal import NIOCore
internal import Synchronization

/// Carries bytes between a credit-based channel and one end of a pair of sockets, of which NIO has
/// the other.
///
/// NIO ends the process when a socket has hung up and a read tells neither an end nor an error. The
/// kernel's channels do that once it has ended one by itself, as for an SDU that is too long, which
/// anybody near can send (Decisions/0084-nio-has-no-l2cap-sockets.md). And one system call sends
/// one SDU, so that of any writes this makes such as the peer takes.
struct SDURelay: Sendable {
    /// How long the peer may take for what was sent before NIO closed its end, and NIO for what
    /// came before the channel ended.
    static let patience = Duration.seconds(2)

    let channel: CInt
    let socket: CInt
    let sendMTU: Int
    let receiveMTU: Int
    let watcher: DescriptorWatcher
    let outcome: Outcome

    /// Why a channel has ended.
    final class Outcome: Sendable {
        private let stored = Mutex<TransportError?>(nil)

        /// The first failure; nil for an ordinary end.
        var failure: TransportError? { stored.withLock { $0 } }

        fileprivate func fail(_ error: L2CAPError) {
            stored.withLock { $0 = $0 ?? TransportError(error) }
        }
    }

    /// Returns when either side has ended; both descriptors are closed then.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await receive() }
            group.addTask { await send() }
            group.addTask { await waitForLastWords() }
            await group.next()
            group.cancelAll()
        }
        L2CAPSocket.close(channel)
        L2CAPSocket.close(socket)
    }

    private func receive() async {
        var bytes = [UInt8](repeating: 0, count: receiveMTU)
        do {
            while case let count = try await read(&bytes, from: channel), count > 0 {
                try await write(bytes[..<count], to: socket)
            }
        } catch let error as L2CAPError {
            outcome.fail(error)
        } catch {}
    }

    private func send() async {
        var bytes = [UInt8](repeating: 0, count: sendMTU)
        do {
            while case let count = try await read(&bytes, from: socket), count > 0 {
                try await write(bytes[..<count], to: channel)
            }
        } catch let error as L2CAPError {
            outcome.fail(error)
            // What came before is still to be told.
            if error.code != .brokenLink { try? await Task.sleep(for: Self.patience) }
        } catch {}
    }

    /// NIO has closed its end, and the peer takes no more of what is left.
    private func waitForLastWords() async {
        do {
            try await watcher.wait(for: .hungUp, on: socket)
            try await Task.sleep(for: Self.patience)
        } catch {}
    }

    // MARK: - System calls

    /// Reads what there is, once there is something.
    ///
    /// - Returns: How many bytes; 0 at the end.
    private func read(_ bytes: inout [UInt8], from descriptor: CInt) async throws -> Int {
        var hasHungUp = false
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            // So the kernel tells that the peer has closed the channel.
            case ECONNRESET: return 0
            // Nothing more will come.
            case EAGAIN where hasHungUp: return 0
            case EAGAIN:
                hasHungUp = Self.hasHungUp(descriptor)
                if !hasHungUp { try await watcher.wait(for: .readable, on: descriptor) }
            default: throw L2CAPError(errno: errno, "receive")
            }
        }
    }

    /// Writes bytes, as one SDU to a channel.
    private func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) async throws {
        var left = bytes
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count >= 0 {
                left = left.dropFirst(count)
            } else if errno == EAGAIN {
                try await watcher.wait(for: .writable, on: descriptor)
            } else if errno != EINTR {
                throw L2CAPError(errno: errno, "send")
            }
        }
    }

    private static func hasHungUp(_ descriptor: CInt) -> Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) == 1
    }
}

/// Next to the socket, says how a channel that is carried by ``SDURelay`` has ended.
final class RelayedChannelHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let outcome: SDURelay.Outcome
    private let onBrokenLink: @Sendable () -> Void

    /// - Parameter onBrokenLink: told when the kernel refuses an SDU that fits: nothing but
    ///   dropping the link helps.
    init(_ outcome: SDURelay.Outcome, onBrokenLink: @escaping @Sendable () -> Void) {
        self.outcome = outcome
        self.onBrokenLink = onBrokenLink
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // Any shutdown closes a credit-based channel both ways.
        guard mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The relay closed its end with bytes in it that nobody takes.
        if let error = error as? IOError, [ECONNRESET, EPIPE].contains(error.errnoCode) { return }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let failure = outcome.failure {
            if failure.code == .brokenLink { onBrokenLink() }
            context.fireErrorCaught(failure)
        }
        context.fireChannelInactive()
    }
}
