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

    /// Begins to accept.
    ///
    /// - Throws: ``TransportError``.
    init(
        on address: BluetoothAddress?, psm wanted: UInt16?, receiveMTU: Int, watcher: DescriptorWatcher,
        clock: any DeviceClock, logger: Logger,
        accept: @escaping @Sendable (_ descriptor: CInt, _ peer: BluetoothAddress) async -> Void
    ) throws(TransportError) {
        let opened: (descriptor: CInt, psm: UInt16)
        do {
            opened = try L2CAPSocket.listen(on: address, psm: wanted, backlog: 64, receiveMTU: receiveMTU)
        } catch {
            throw TransportError(error)
        }
        self.address = address
        (descriptor, psm) = opened
        task = Task {
            while !Task.isCancelled {
                do {
                    try await watcher.wait(for: .readable, on: opened.descriptor)
                    while let (descriptor, peer) = try L2CAPSocket.accept(on: opened.descriptor) {
                        await accept(descriptor, peer)
                    }
                } catch is CancellationError {
                    return
                } catch {
                    // A limit of the process, most likely: the peer is still waiting when that is
                    // over.
                    logger.debug("cannot accept, trying again", metadata: ["error": "\(error)"])
                    try? await clock.sleep(until: clock.uptime + .seconds(1))
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
