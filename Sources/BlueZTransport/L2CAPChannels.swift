// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import L2CAP
internal import Logging
internal import NIOCore
internal import Synchronization

/// Dials and accepts the kernel's credit-based channels, and connects them to NIO.
final class L2CAPChannels: Sendable {
    /// The traffic of all channels together.
    let traffic: ChannelTraffic
    private let adopter: ChannelAdopter
    private let receiveMTU: Int
    private let clock: any DeviceClock
    private let logger: Logger
    private let abandoned = AbandonedDials()
    private let madeWatcher = Mutex<DescriptorWatcher?>(nil)

    /// Creates an instance without channels.
    ///
    /// - Parameters:
    ///   - group: The event loops of the channels.
    ///   - receiveMTU: The largest SDU that a peer may send, in bytes.
    init(group: any EventLoopGroup, receiveMTU: Int, clock: any DeviceClock, logger: Logger) {
        traffic = ChannelTraffic(clock: clock)
        adopter = ChannelAdopter(group: group, traffic: traffic)
        self.receiveMTU = receiveMTU
        self.clock = clock
        self.logger = logger
    }

    /// Dials a peer and returns the open channel.
    ///
    /// - Parameter onBrokenLink: Called when only disconnecting the link helps.
    /// - Throws: ``TransportError``, `CancellationError`, or the initializer's error.
    func dial(
        _ peer: BluetoothAddress, from source: BluetoothAddress, psm: UInt16, until deadline: ContinuousClock.Instant,
        onBrokenLink: @escaping @Sendable () -> Void, initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        let descriptor = try await connect(to: peer, from: source, psm: psm, until: deadline)
        OpeningByte.send(on: descriptor)
        return try await adopter.adopt(
            descriptor, isAccepted: false, onBrokenLink: onBrokenLink, initializer: initializer)
    }

    /// Listens on an adapter's address, or on every adapter.
    ///
    /// - Parameters:
    ///   - psm: The PSM to ask for, or `nil` for any.
    ///   - accept: Called with each accepted channel. The function must close the channel or pass
    ///     it to ``adopt(accepted:onBrokenLink:initializer:)``.
    /// - Throws: ``TransportError``.
    func listen(
        on address: BluetoothAddress?, psm: UInt16?,
        accept: @escaping @Sendable (_ descriptor: CInt, _ peer: BluetoothAddress) async -> Void
    ) throws(TransportError) -> ChannelAcceptor {
        let watcher = try watcher()
        do {
            return ChannelAcceptor(
                on: address,
                listening: try L2CAPSocket.listen(on: address, psm: psm, backlog: 64, receiveMTU: receiveMTU),
                watcher: watcher, clock: clock, logger: logger, accept: accept)
        } catch {
            throw TransportError(error)
        }
    }

    /// Turns an accepted descriptor into an NIO channel.
    ///
    /// - Parameter onBrokenLink: Called when only disconnecting the link helps.
    /// - Throws: ``TransportError``, or the initializer's error.
    func adopt(
        accepted descriptor: CInt, onBrokenLink: @escaping @Sendable () -> Void,
        initializer: @escaping ChannelInitializer
    ) async throws -> any Channel {
        try await adopter.adopt(descriptor, isAccepted: true, onBrokenLink: onBrokenLink, initializer: initializer)
    }

    // MARK: -

    private func connect(
        to peer: BluetoothAddress, from source: BluetoothAddress, psm: UInt16, until deadline: ContinuousClock.Instant
    ) async throws -> CInt {
        var simultaneous = SimultaneousDials()
        while true {
            try Task.checkCancellation()
            let begun = ContinuousClock.now
            do {
                let watcher = try watcher()
                let dials = try startDials(simultaneous.count, peer, from: source, psm: psm)
                return try await firstOpen(of: dials, to: peer, until: deadline, watchedBy: watcher)
            } catch let error as L2CAPError {
                guard simultaneous.goesOn(after: error, took: .now - begun) else { throw TransportError(error) }
            }
        }
    }

    private func startDials(
        _ count: Int, _ peer: BluetoothAddress, from source: BluetoothAddress, psm: UInt16
    ) throws(L2CAPError) -> [CInt] {
        var descriptors: [CInt] = []
        do {
            for _ in 0..<count {
                descriptors.append(
                    try L2CAPSocket.startConnecting(from: source, to: peer, psm: psm, receiveMTU: receiveMTU))
            }
        } catch {
            for descriptor in descriptors { ChannelCloser.close(descriptor) }
            throw error
        }
        return descriptors
    }

    /// Returns the descriptor that connects first. Abandons the others.
    private func firstOpen(
        of descriptors: [CInt], to peer: BluetoothAddress, until deadline: ContinuousClock.Instant,
        watchedBy watcher: DescriptorWatcher
    ) async throws -> CInt {
        try await withThrowingTaskGroup(of: (CInt, Result<Void, any Error>).self) { dials in
            for descriptor in descriptors {
                dials.addTask {
                    do {
                        try await watcher.wait(for: .writable, on: descriptor, until: deadline)
                        return (descriptor, .success(try L2CAPSocket.finishConnecting(descriptor, to: peer)))
                    } catch { return (descriptor, .failure(error)) }
                }
            }
            var open: CInt?
            var failure: any Error = L2CAPError(.timedOut, "connect to \(peer)")
            for try await (descriptor, result) in dials {
                switch result {
                case .success where open == nil:
                    open = descriptor
                    dials.cancelAll()
                case .success: ChannelCloser.close(descriptor)
                case .failure(let error as L2CAPError):
                    ChannelCloser.close(descriptor)
                    failure = error
                case .failure(let error):
                    abandoned.take(descriptor, watchedBy: watcher)
                    if error is CancellationError { failure = error }
                }
            }
            guard let open else { throw failure }
            return open
        }
    }

    private func watcher() throws(TransportError) -> DescriptorWatcher {
        let watcher = madeWatcher.withLock { made in
            if made == nil { made = DescriptorWatcher() }
            return made
        }
        guard let watcher else {
            throw TransportError(.resourceExhausted, "no file descriptors are left: close other channels first")
        }
        return watcher
    }
}
