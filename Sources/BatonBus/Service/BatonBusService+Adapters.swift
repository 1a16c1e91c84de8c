// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Synchronization

/// The active adapters, as a property that sends change signals.
extension BatonBusService {
    var activeAdaptersProperty: DBusProperty {
        property("Active", "as") { service in .texts(service.activeAdapters.withLock { $0 }) }
    }

    /// Sets the ids of the active adapters, and emits a signal if they changed.
    package func publish(activeAdapters active: [String]) {
        activeAdapters.withLock { current in
            guard active != current else { return }
            current = active
            // Emit while holding the lock, so that the signals have the order of the changes.
            try? connection.emitPropertiesChanged(
                path: BatonBusName.path, interface: BatonBusName.adapters, ["Active": .texts(active)])
        }
    }

    /// Sets the apps that can take part and the adapters, and emits a signal if they changed.
    package func publish(apps: InstalledApps) {
        self.apps.withLock { current in
            guard apps != current else { return }
            current = apps
            try? connection.emit(path: BatonBusName.path, interface: BatonBusName.adapters, member: "AppsChanged")
        }
    }
}
