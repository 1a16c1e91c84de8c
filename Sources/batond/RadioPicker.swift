// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import BlueZTransport
import DBus
import Logging
import NIOPosix
import SimulatedTransport

/// Picks the radio, and can say why.
struct RadioPicker {
    let options: Batond
    let logger: Logger

    func pick() async throws -> (radio: any Radio, reason: String) {
        switch options.radio {
        case .bluez: return (bluez, "BlueZ, as --radio says")
        case .simulated: return (simulated, "simulated in \(directory), as --radio says")
        case .auto:
            guard let adapters = await adapters() else {
                return (simulated, "simulated in \(directory), because bluetoothd does not run")
            }
            guard let first = adapters.first else {
                return (simulated, "simulated in \(directory), because there is no Bluetooth adapter")
            }
            return (bluez, "BlueZ, because there is an adapter (\(first))")
        }
    }

    private var bluez: any Radio {
        BlueZRadio(
            configuration: BlueZConfiguration(adapter: options.adapter), group: MultiThreadedEventLoopGroup.singleton,
            logger: logger)
    }

    private var simulated: any Radio { SimulatedRadio(directory: directory) }

    private var directory: String { options.radioDirectory ?? Directories.radio }

    /// The adapters that bluetoothd has; nil when nobody answers for it.
    private func adapters() async -> [String]? {
        guard let bus = try? await DBusConnection.system() else { return nil }
        defer { bus.close() }
        guard
            let reply = try? await bus.call(
                destination: "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager",
                member: "GetManagedObjects", arguments: [], timeout: .seconds(5)),
            case .dictionary(_, _, let objects)? = reply.first
        else { return nil }
        return objects.compactMap { object in
            guard case .objectPath(let path) = object.key, case .dictionary(_, _, let interfaces) = object.value,
                interfaces.contains(where: { $0.key == .string("org.bluez.Adapter1") })
            else { return nil }
            return String(path.drop { $0 == "/" }.split(separator: "/").last ?? "")
        }.sorted()
    }
}
