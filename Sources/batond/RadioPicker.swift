// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import BlueZTransport
import Logging
import NIOPosix
import SimulatedTransport

/// The radio that was picked.
struct PickedRadio {
    let radio: any Radio
    /// Why this one, for people.
    let reason: String
    /// Whether another would be picked once there is a Bluetooth adapter.
    var isMakeshift = false
}

/// Picks the radio, and can say why.
struct RadioPicker {
    let options: Batond
    let logger: Logger

    func pick() async -> PickedRadio {
        switch options.radio {
        case .bluez: return PickedRadio(radio: bluez, reason: "BlueZ, as --radio says")
        case .simulated: return PickedRadio(radio: simulated, reason: "simulated in \(directory), as --radio says")
        case .auto:
            let present = await adapters.present()
            if let first = present?.first {
                return PickedRadio(radio: bluez, reason: "BlueZ, because there is an adapter (\(first))")
            }
            let absent = options.adapter.map { "there is no adapter \($0)" } ?? "there is no Bluetooth adapter"
            let stopped = options.adapter.map { "bluetoothd, which has the adapter \($0), does not run" }
            let why = present == nil ? stopped ?? "bluetoothd does not run" : absent
            return PickedRadio(
                radio: simulated, reason: "simulated in \(directory), because \(why)", isMakeshift: true)
        }
    }

    /// Waits for the first Bluetooth adapter that would be used; nil when none can come.
    func firstAdapter() async -> String? { await adapters.first() }

    private var adapters: BlueZAdapters { BlueZAdapters(configuration: configuration) }

    private var configuration: BlueZConfiguration { BlueZConfiguration(adapter: options.adapter) }

    private var bluez: any Radio {
        BlueZRadio(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }

    private var simulated: any Radio { SimulatedRadio(directory: directory) }

    private var directory: String { options.radioDirectory ?? Directories.radio }
}
