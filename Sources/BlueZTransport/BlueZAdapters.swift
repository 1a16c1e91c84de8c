// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus

/// The adapters that bluetoothd has, for whoever must choose a radio before there is one.
///
/// bluetoothd is asked by its unique name: a call to the well-known one would start it where it
/// does not run, which is for the user to do.
public struct BlueZAdapters: Sendable {
    private let configuration: BlueZConfiguration

    /// The adapters that a radio would use, powered or not.
    ///
    /// - Parameter configuration: which adapter is wanted, if one is named, and the bus that
    ///   bluetoothd is on.
    public init(configuration: BlueZConfiguration = BlueZConfiguration()) { self.configuration = configuration }

    /// The names of those that are there, in order; `nil` when bluetoothd does not run.
    public func present() async -> [String]? {
        guard let bus = try? await configuration.openBus() else { return nil }
        defer { bus.close() }
        return await present(on: bus)
    }

    /// Waits for the first one.
    ///
    /// - Returns: Its name; `nil` when the bus ends, or there is none.
    public func first() async -> String? {
        guard let bus = try? await configuration.openBus() else { return nil }
        defer { bus.close() }
        guard let owners = try? await bus.nameOwnerChanges(of: BlueZ.service),
            let added = try? await bus.signals(
                matching: DBusMatch(
                    sender: BlueZ.service, path: "/", interface: BlueZ.objectManager, member: "InterfacesAdded"))
        else { return nil }
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        change.yield()
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await _ in owners { change.yield() }
                change.finish()
                return nil
            }
            group.addTask {
                for await _ in added { change.yield() }
                return nil
            }
            group.addTask {
                for await _ in changes { if let first = await present(on: bus)?.first { return first } }
                return nil
            }
            defer { group.cancelAll() }
            for await found in group where found != nil { return found }
            return nil
        }
    }

    private func present(on bus: DBusConnection) async -> [String]? {
        guard let owner = try? await bus.owner(of: BlueZ.service),
            let reply = try? await bus.call(
                destination: owner, path: "/", interface: BlueZ.objectManager, member: "GetManagedObjects",
                arguments: [], timeout: .seconds(5)),
            let value = reply.first, value.keyedValues != nil
        else { return nil }
        var objects = BlueZObjects(adapterName: configuration.adapter)
        _ = objects.take(managedObjects: value)
        return objects.adapters.values.filter(objects.isWanted).map(\.name).sorted()
    }
}
