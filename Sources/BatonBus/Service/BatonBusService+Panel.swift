// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Synchronization

/// What panels show: properties, whose changes are told.
extension BatonBusService {
    /// The least time between two signals.
    package static let panelPace = Duration.milliseconds(500)

    var panelProperties: [DBusProperty] {
        PanelInterface.properties.map { name, signature in
            property(name, signature) { service in service.panelStatus.withLock { $0.bus[name] } }
        }
    }

    /// What panels are to show from now on: what differs from before is told in one signal, and
    /// nothing when nothing does.
    package func publish(_ status: PanelStatus) {
        panelStatus.withLock { current in
            let before = current.bus
            current = status
            let changed = status.bus.filter { before[$0.key] != $0.value }
            guard !changed.isEmpty else { return }
            // Within the lock, so that the last signal is the last status.
            try? connection.emitPropertiesChanged(
                path: BatonBusName.path, interface: BatonBusName.panel, changed)
        }
    }

    /// Publishes what a stream says, until it ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - statuses: Buffers the newest only, so that what comes and goes during a rest is never
    ///     told.
    ///   - rest: Waits after each one that was published.
    package func publish(
        _ statuses: AsyncStream<PanelStatus>,
        rest: @Sendable () async -> Void = { try? await Task.sleep(for: BatonBusService.panelPace) }
    ) async {
        for await status in statuses {
            publish(status)
            await rest()
        }
    }
}
