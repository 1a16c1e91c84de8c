// SPDX-License-Identifier: GPL-3.0-or-later

internal import DBus
internal import L2CAP
internal import Synchronization

/// One running instance of bluetoothd, called by its unique name.
///
/// A call to the well-known name would start bluetoothd if it is not running, but only the user
/// should decide to start it.
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

    /// Checks that bluetoothd still answers.
    ///
    /// - Returns: The error if bluetoothd did not answer in time, and `nil` otherwise. The bus
    ///   itself reports when bluetoothd has gone.
    func silence() async -> DBusError? {
        do {
            try await call("/", BlueZ.peer, "Ping")
            return nil
        } catch {
            return (error as? DBusError).flatMap { $0.name == DBusError.noReply ? $0 : nil }
        }
    }

    /// Calls a method and ignores its failure.
    func attempt(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = []) async {
        _ = try? await call(path, interface, member, arguments, timeout: .seconds(5))
    }

    /// Returns whether bluetoothd reports a link to a peer.
    func isConnected(_ peer: BluetoothAddress, on adapter: String) async -> Bool {
        let path = BlueZ.devicePath(adapter: adapter, octets: peer.octets)
        let reply = try? await call(
            path, BlueZ.properties, "Get", [.string(BlueZ.device), .string("Connected")], timeout: .seconds(5))
        return reply?.first?.boolValue == true
    }

    /// Disconnects peers, which ends all channels on their links. A peer that does not exist is not
    /// an error.
    ///
    /// The calls run at the same time, because each may take seconds, and strangers can leave many
    /// links behind.
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

/// A source of object paths that are unique in this process.
final class ObjectPaths: Sendable {
    private let count = Atomic<UInt64>(0)

    /// Returns a path that was never used before, because bluetoothd remembers earlier objects by
    /// their path.
    func next(_ kind: String) -> String {
        "/org/batonproject/Baton/radio/\(kind)\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
