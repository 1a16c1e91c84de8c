// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Synchronization

/// The adapters that count: a property, whose changes are told.
extension BatonBusService {
    var activeAdaptersProperty: DBusProperty {
        property("Active", "as") { service in Self.bus(service.activeAdapters.withLock { $0 }) }
    }

    /// These adapters count from now on, by their ids; what differs from before is told.
    package func publish(activeAdapters active: [String]) {
        activeAdapters.withLock { current in
            guard active != current else { return }
            current = active
            // Within the lock, so that the last signal is the last list.
            try? connection.emitPropertiesChanged(
                path: BatonBusName.path, interface: BatonBusName.adapters, ["Active": Self.bus(active)])
        }
    }

    private static func bus(_ active: [String]) -> DBusValue { .array(elementSignature: "s", active.map(plain)) }
}
