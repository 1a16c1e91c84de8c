// SPDX-License-Identifier: GPL-3.0-or-later

internal import BatonTransport
internal import L2CAP

/// Dials, and what they need against kernels whose channel identifiers are confused (Decisions/0009-identifiers-in-use.md).
extension BlueZRadio {
    /// How many dials may be made beside one, for identifiers that the peer's kernel holds for taken.
    private static let maximumCompanions = 5

    /// Dials until the channel is open.
    ///
    /// The kernel gives a channel the lowest identifier that is free here. The peer's refuses one that it holds for taken there, and would do so again
    /// and again. So after a refusal the same is dialled several times at once: each dial has an identifier of its own.
    ///
    /// - Throws: `TransportError`, `CancellationError`.
    func dial(
        _ peer: BluetoothAddress, from source: BluetoothAddress, psm: UInt16, until deadline: ContinuousClock.Instant
    ) async throws -> CInt {
        var companions = 0
        while true {
            try Task.checkCancellation()
            do {
                let dials = try startDials(companions + 1, peer, from: source, psm: psm)
                let descriptor = try await firstOpen(of: dials, to: peer, until: deadline)
                OpeningByte.send(on: descriptor)
                return descriptor
            } catch let error as L2CAPError {
                guard error.isRefusal, companions < Self.maximumCompanions else { throw TransportError(error) }
                companions += 1
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
                    try L2CAPSocket.startConnecting(
                        from: source, to: peer, psm: psm, receiveMTU: configuration.receiveMTU))
            }
        } catch {
            for descriptor in descriptors { L2CAPSocket.close(descriptor) }
            throw error
        }
        return descriptors
    }

    /// The first, in their order, that opens; the others are given up.
    private func firstOpen(
        of descriptors: [CInt], to peer: BluetoothAddress, until deadline: ContinuousClock.Instant
    ) async throws -> CInt {
        var waiting = descriptors[...]
        var failure = L2CAPError(.timedOut, "connect to \(peer)")
        defer { for descriptor in waiting { abandon(descriptor) } }
        while let descriptor = waiting.first {
            do {
                try await descriptorWatcher().wait(for: .writable, on: descriptor, until: deadline)
                try L2CAPSocket.finishConnecting(descriptor, to: peer)
                waiting.removeFirst()
                return descriptor
            } catch let error as L2CAPError {
                L2CAPSocket.close(descriptor)
                waiting.removeFirst()
                failure = error
            } catch is DescriptorWatcher.TimedOut {
                throw L2CAPError(.timedOut, "connect to \(peer)")
            }
        }
        throw failure
    }

    /// Closes a descriptor whose attempt is not wanted any more, once the peer has had time to answer.
    ///
    /// To close one that waits for the answer tells the peer nothing: it would keep a channel that nobody has, and refuse the next dial for having
    /// the same channel id.
    private func abandon(_ descriptor: CInt) {
        guard abandoned < 128, let watcher = try? descriptorWatcher() else { return L2CAPSocket.close(descriptor) }
        abandoned += 1
        Task {
            try? await watcher.wait(for: .writable, on: descriptor, until: .now + .seconds(2))
            L2CAPSocket.close(descriptor)
            self.abandoned -= 1
        }
    }
}
