// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTransport
import BlueZTransport
import Diagnosis
import Logging
import NIOPosix
import SimulatedTransport

/// A radio, and the reason for its choice.
struct PickedRadio {
    let radio: any Radio
    /// The reason for this choice, for people.
    let reason: String
    /// The problem that made the daemon fall back to this radio, or nil. The daemon picks another
    /// radio when a Bluetooth adapter appears.
    var fallback: Finding?
}

/// Picks the radio, and gives the reason.
struct RadioPicker {
    let options: Batond
    let logger: Logger

    func pick() async -> PickedRadio {
        switch options.radio {
        case .bluez: return PickedRadio(radio: bluez, reason: "BlueZ, as --radio says")
        case .simulated: return PickedRadio(radio: simulated, reason: "simulated in \(directory), as --radio says")
        case .auto where options.adapter != nil:
            return PickedRadio(radio: bluez, reason: "BlueZ, as --adapter says")
        case .auto:
            let answer = await adapters.present()
            if case .adapters(let names) = answer, let first = names.first {
                return PickedRadio(radio: bluez, reason: "BlueZ, because there is an adapter (\(first))")
            }
            return PickedRadio(
                radio: simulated, reason: "simulated in \(directory), because \(absence(answer))",
                fallback: Finding(.radioSimulated))
        }
    }

    /// Waits for the first usable Bluetooth adapter. Returns nil if the task is cancelled.
    func firstAdapter() async -> String? { await adapters.first() }

    /// Returns the reason why there is no adapter.
    private func absence(_ answer: AdapterSearch.Answer) -> String {
        switch answer {
        case .adapters: "there is no Bluetooth adapter"
        case .unlisted(let name): "bluetoothd does not list the adapter \(name)"
        case .silent: "bluetoothd does not answer"
        case .stopped: "bluetoothd does not run"
        case .noBus: "there is no system bus"
        }
    }

    private var adapters: AdapterSearch { AdapterSearch(configuration: configuration) }

    private var configuration: BlueZConfiguration { BlueZConfiguration(adapter: options.adapter) }

    private var bluez: any Radio {
        BlueZRadio(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }

    private var simulated: any Radio { SimulatedRadio(directory: directory) }

    private var directory: String { options.radioDirectory ?? Directories.radio }
}
