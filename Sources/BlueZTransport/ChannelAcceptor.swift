// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import L2CAP
internal import Logging

/// Accepts channels on a listening descriptor until ``close()``.
final class ChannelAcceptor: Acceptor, Sendable {
    /// The address of the adapter on which the acceptor listens, or `nil` for every adapter.
    let address: BluetoothAddress?
    /// The PSM that the kernel assigned.
    let psm: UInt16
    private let descriptor: CInt
    private let task: Task<Void, Never>

    /// The pause after a failed attempt to accept.
    static let pause = Duration.seconds(1)

    /// Starts to accept channels.
    ///
    /// - Parameters:
    ///   - listening: The listening descriptor, whose ownership is taken over, and its PSM.
    ///   - next: Called to accept one waiting channel; returns `nil` if none waits.
    ///   - accept: Called with each accepted channel.
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
                    // Most likely, the process has no free descriptors. Try again after a pause,
                    // because the kernel keeps the waiting channel.
                    logger.debug("cannot accept, trying again", metadata: ["error": "\(error)"])
                    try? await clock.sleep(until: clock.uptime + Self.pause)
                }
            }
        }
    }

    /// Stops accepting. Channels that wait to be accepted are dropped.
    func close() async {
        task.cancel()
        await task.value
        L2CAPSocket.close(descriptor)
    }
}

extension TransportError {
    /// Converts a failure of the kernel's channels.
    init(_ error: L2CAPError) {
        let code: Code =
            switch error.code {
            case .unsupported, .notPermitted, .noAdapter: .radioUnavailable
            case .brokenLink: .brokenLink
            case .invalidArgument: .invalidArgument
            case .addressInUse, .resourceExhausted: .resourceExhausted
            default: error.isMissed ? .missed : .unreachable
            }
        self.init(code, error.message, cause: error.errnoName, errno: error.errno == 0 ? nil : error.errno)
    }
}
