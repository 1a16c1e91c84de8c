// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import L2CAP
internal import Logging

/// Accepts channels on one listening descriptor, until it is closed.
final class ChannelAcceptor: Acceptor, Sendable {
    /// What it listens on; `nil` for every adapter.
    let address: BluetoothAddress?
    /// The PSM that it was given.
    let psm: UInt16
    private let descriptor: CInt
    private let task: Task<Void, Never>

    /// Before it is tried again to accept a channel.
    static let pause = Duration.seconds(1)

    /// Begins to accept.
    ///
    /// - Parameters:
    ///   - listening: The descriptor that listens, which is owned here from now on, and its PSM.
    ///   - next: Takes one channel that waits there; nil when none does.
    ///   - accept: Takes what was accepted.
    init(
        on address: BluetoothAddress?, listening: (descriptor: CInt, psm: UInt16), watcher: DescriptorWatcher,
        clock: any DeviceClock, logger: Logger,
        next: @escaping @Sendable (CInt) throws -> (descriptor: CInt, peer: BluetoothAddress)? = L2CAPSocket.accept,
        accept: @escaping @Sendable (_ descriptor: CInt, _ peer: BluetoothAddress) async -> Void
    ) {
        self.address = address
        (descriptor, psm) = listening
        task = Task {
            while !Task.isCancelled {
                do {
                    try await watcher.wait(for: .readable, on: listening.descriptor)
                    while let (descriptor, peer) = try next(listening.descriptor) { await accept(descriptor, peer) }
                } catch is CancellationError {
                    return
                } catch {
                    // A limit of the process, most likely: the peer is still waiting when that is
                    // over.
                    logger.debug("cannot accept, trying again", metadata: ["error": "\(error)"])
                    try? await clock.sleep(until: clock.uptime + Self.pause)
                }
            }
        }
    }

    /// Stops accepting; what waits to be accepted is dropped.
    func close() async {
        task.cancel()
        await task.value
        L2CAPSocket.close(descriptor)
    }
}

extension TransportError {
    /// A failure of the kernel's channels, in this layer's terms.
    init(_ error: L2CAPError) {
        let code: Code =
            switch error.code {
            case .unsupported, .notPermitted, .noAdapter: .radioUnavailable
            case .brokenLink: .brokenLink
            case .invalidArgument: .invalidArgument
            case .addressInUse, .resourceExhausted: .resourceExhausted
            default: .unreachable
            }
        self.init(code, error.message, cause: error.errnoName)
    }
}
