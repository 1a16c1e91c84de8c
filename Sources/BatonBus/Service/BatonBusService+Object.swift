// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Diagnosis
internal import Synchronization

/// The exported object that `Documentation/DBus/org.batonproject.Baton1.xml` describes.
extension BatonBusService {
    /// The interfaces, in the order of the introspection data.
    static var interfaces: [any BusInterface.Type] {
        [
            DaemonInterface.self, PanelInterface.self, CircleInterface.self, ActivitiesInterface.self,
            OffersInterface.self, SavedInterface.self, RulesInterface.self, SettingsInterface.self,
            GrantsInterface.self, DomainsInterface.self, AdaptersInterface.self, FilesInterface.self,
        ]
    }

    func object(version: String) -> DBusObject {
        let properties = [
            BatonBusName.daemon: [DBusProperty("Version", constant: plain(version))],
            BatonBusName.panel: panelProperties, BatonBusName.adapters: [activeAdaptersProperty],
        ]
        return DBusObject(
            interfaces: Self.interfaces.map { interface in
                DBusInterface(interface, properties: properties[interface.name] ?? []) { [weak self] method, call in
                    guard let self else { throw Self.stopping }
                    return try await answer(call, needs: method.needs) { [self] client, admission in
                        guard method.fullName != DaemonInterface.explainErrors.fullName else {
                            clients.withLock { $0.explain(client) }
                            return []
                        }
                        return try await router.answer(method, call.arguments, client: client, admission: admission)
                    }
                }
            })
    }

    /// The answer to a call while the daemon is stopping.
    private static var stopping: DBusError {
        DBusError(name: DBusError.unknownObject, message: BatonError(.failed, .ending).message)
    }

    /// Returns a property that sends change signals and reads its present value.
    func property(
        _ name: String, _ signature: String, _ value: @escaping @Sendable (BatonBusService) -> DBusValue?
    ) -> DBusProperty {
        DBusProperty(name, signature, changes: .told) { [weak self] call in
            guard let self else { throw Self.stopping }
            let value = value(self)
            return try await answer(call) { _, _ in value.map { [$0] } ?? [] }.first.orInvalid(name, .type(signature))
        }
    }
}
