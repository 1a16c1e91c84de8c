// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import L2CAP
internal import Synchronization

/// One incarnation of bluetoothd, by its unique name: a call to the well-known one would start it
/// when it is not running, which is for the user to do.
struct BlueZDaemon: Sendable {
    let connection: DBusConnection
    /// The unique name of bluetoothd's connection.
    let owner: String

    /// Calls a method.
    ///
    /// - Throws: `DBusError`.
    @discardableResult
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(10)
    ) async throws -> [DBusValue] {
        try await connection.call(
            destination: owner, path: path, interface: interface, member: member, arguments: arguments,
            timeout: timeout)
    }

    /// Asks it whether it lives.
    ///
    /// - Returns: The error where it has not answered in time; `nil` otherwise, for that it has
    ///   gone is told by the bus.
    func silence() async -> DBusError? {
        do {
            try await call("/", BlueZ.peer, "Ping")
            return nil
        } catch {
            return (error as? DBusError).flatMap { $0.name == DBusError.noReply ? $0 : nil }
        }
    }

    /// Calls a method whose failure changes nothing.
    func attempt(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = []) async {
        _ = try? await call(path, interface, member, arguments, timeout: .seconds(5))
    }

    /// Whether a link to a peer is up, as far as bluetoothd tells.
    func isConnected(_ peer: BluetoothAddress, on adapter: String) async -> Bool {
        let path = BlueZ.devicePath(adapter: adapter, octets: peer.octets)
        let reply = try? await call(
            path, BlueZ.properties, "Get", [.string(BlueZ.device), .string("Connected")], timeout: .seconds(5))
        return reply?.first?.boolValue == true
    }

    /// Drops the links to peers, with all that is on them. What does not exist is not an error.
    ///
    /// All at once: each may take seconds, and strangers can leave many.
    func disconnect(_ peers: [BluetoothAddress], on adapters: [String]) async {
        await withTaskGroup(of: Void.self) { group in
            for peer in peers {
                for adapter in adapters {
                    let path = BlueZ.devicePath(adapter: adapter, octets: peer.octets)
                    group.addTask { await attempt(path, BlueZ.device, "Disconnect") }
                }
            }
        }
    }
}

/// Object paths that no other object of this process has.
final class ObjectPaths: Sendable {
    private let count = Atomic<UInt64>(0)

    /// A path that was never used before, for bluetoothd remembers what was at a path.
    func next(_ kind: String) -> String {
        "/org/batonproject/Baton/radio/\(kind)\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
