// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Synchronization

/// The state that panels show, as properties that send change signals.
extension BatonBusService {
    /// The shortest time between two signals.
    package static let panelPace = Duration.milliseconds(500)

    var panelProperties: [DBusProperty] {
        PanelInterface.properties.map { name, signature in
            property(name, signature) { service in service.panelStatus.withLock { $0.bus[name] } }
        }
    }

    /// Sets the state that panels show. Emits one signal with all changed properties, or none if
    /// nothing changed.
    package func publish(_ status: PanelStatus) {
        panelStatus.withLock { current in
            let before = current.bus
            current = status
            let changed = status.bus.filter { before[$0.key] != $0.value }
            guard !changed.isEmpty else { return }
            // Emit while holding the lock, so that the signals have the order of the changes.
            try? connection.emitPropertiesChanged(path: BatonBusName.path, interface: BatonBusName.panel, changed)
        }
    }

    /// Publishes the states of a stream until it ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - statuses: A stream that buffers only the newest state. If the state changes several
    ///     times during a rest, only the last state is published.
    ///   - rest: Called to wait after each published state.
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
