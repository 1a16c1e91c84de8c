// SPDX-License-Identifier: GPL-3.0-or-later

import DBus

/// The Bluetooth adapters that bluetoothd has.
///
/// bluetoothd is asked by its unique name: a call to the well-known one would start it where it does not run, which is for the user to do.
struct Adapters {
    private static let name = "org.bluez"

    /// The name of the one that is wanted, else of all.
    let wanted: String?

    /// Their names, in order; nil when bluetoothd does not run.
    func present() async -> [String]? {
        guard let bus = try? await DBusConnection.system() else { return nil }
        defer { bus.close() }
        return await present(on: bus)
    }

    /// Waits for the first one; nil when the system bus ends, or there is none.
    func first() async -> String? {
        guard let bus = try? await DBusConnection.system() else { return nil }
        defer { bus.close() }
        guard let owners = try? await bus.nameOwnerChanges(of: Self.name),
            let added = try? await bus.signals(
                matching: DBusMatch(
                    sender: Self.name, path: "/", interface: "org.freedesktop.DBus.ObjectManager",
                    member: "InterfacesAdded")
            )
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
        guard let owner = try? await bus.owner(of: Self.name),
            let reply = try? await bus.call(
                destination: owner, path: "/", interface: "org.freedesktop.DBus.ObjectManager",
                member: "GetManagedObjects", arguments: [], timeout: .seconds(5)),
            case .dictionary(_, _, let objects)? = reply.first
        else { return nil }
        return objects.compactMap { object in
            guard case .objectPath(let path) = object.key, case .dictionary(_, _, let interfaces) = object.value,
                interfaces.contains(where: { $0.key == .string("org.bluez.Adapter1") })
            else { return nil }
            return String(path.drop { $0 == "/" }.split(separator: "/").last ?? "")
        }.filter { wanted == nil || $0 == wanted }.sorted()
    }
}
