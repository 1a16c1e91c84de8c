// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    var radioWords: [Words]? {
        switch self {
        case .radioSimulated:
            [
                Words(
                    mark("The radio is simulated, so no other laptop can hear this one."),
                    terminal: mark("Turn Bluetooth on, and check it with \"systemctl status bluetooth\"."),
                    window: mark("Turn Bluetooth on in the settings."))
            ]
        case .radioNotReady: [Words(mark("The radio is not ready."), mark("Turn Bluetooth on in the settings."))]
        case .systemBusGone: [Words(mark("The system bus is gone."), mark("Baton tries again until it is back."))]
        case .bluetoothdStopped:
            [
                Words(
                    mark("The Bluetooth service is not running."),
                    window: mark("Turn Bluetooth on in the settings. If that does not help, restart the laptop."))
            ]
        case .bluetoothdSilent:
            [Words(mark("The Bluetooth service does not answer."), window: offAndOn)]
        case .adapterMissing:
            [
                Words(
                    mark("There is no Bluetooth adapter {adapter}."),
                    terminal: mark("Plug it in, or choose another one ({others})."),
                    window: mark("Plug it in, or choose another one.")),
                Words(mark("There is no Bluetooth adapter."), mark("Plug one in.")),
            ]
        case .adapterUnlisted:
            [
                Words(
                    mark("The Bluetooth service does not list the adapter {adapter}."),
                    terminal: mark("Run \"{command}\". If that does not help, upgrade BlueZ: 5.81 lists no adapter."),
                    window: mark("Restart the laptop. If that does not help, install updates."))
            ]
        case .adapterOff: [Words(mark("Bluetooth is off."), window: mark("Turn Bluetooth on in the settings."))]
        case .adapterBlocked:
            [
                Words(
                    mark("Bluetooth is blocked."), terminal: mark("Run \"{command}\", or use the laptop's switch."),
                    window: mark("Turn off airplane mode, or use the laptop's switch."))
            ]
        case .adapterUnfit:
            [
                Words(
                    mark("The Bluetooth adapter cannot advertise or scan as Baton needs."), mark("Use another adapter.")
                )
            ]
        case .adapterStarting:
            [Words(mark("The Bluetooth adapter is still starting."), mark("Wait for a moment."))]
        case .advertisingFull:
            [
                Words(
                    mark(
                        "Other programs use all advertisements that the Bluetooth adapter {adapter} can send at a time."
                    ),
                    mark("Close other programs that advertise over Bluetooth."))
            ]
        case .bluetoothDenied:
            [Words(mark("You are not allowed to use Bluetooth."), mark("Ask your administrator."))]
        case .bluetoothRefused:
            [Words(mark("The Bluetooth service refused a request ({reason})."), mark("Baton tries again."))]
        case .bluetoothBroken:
            [
                Words(
                    mark("Bluetooth is on, but fails again and again."),
                    terminal: mark(
                        "Turn it off and on. If that does not help, run \"systemctl restart bluetooth\", or restart the laptop."
                    ),
                    window: offAndOn)
            ]
        case .listeningFailed:
            [
                Words(
                    mark("Other laptops cannot connect to this one over Bluetooth ({reason})."),
                    mark("Baton tries again.")),
                Words(mark("Other laptops cannot connect to this one over Bluetooth."), mark("Baton tries again.")),
            ]
        case .addressPublic:
            [
                Words(
                    mark("The Bluetooth adapter {adapter} shows its own address, by which this laptop can be tracked."),
                    terminal: mark(
                        "Set \"Privacy = device\" in /etc/bluetooth/main.conf, then run \"systemctl restart bluetooth\"."
                    ),
                    window: mark("Ask your administrator to turn on Bluetooth's privacy."))
            ]
        default: bluetoothd
        }
    }

    private var offAndOn: String { mark("Turn Bluetooth off and on. If that does not help, restart the laptop.") }

    private var bluetoothd: [Words]? {
        let administrator = mark("Ask your administrator to set up Bluetooth for Baton.")
        let updates = mark("Install updates.")
        switch self {
        case .bluetoothPlain:
            return [
                Words(
                    mark("Bluetooth scanning uses more power, because bluetoothd {outdated} is too old."),
                    terminal: mark("Upgrade BlueZ to 5.71 or later."), window: updates),
                Words(
                    mark("Bluetooth scanning uses more power, because bluetoothd offers no advertisement monitors."),
                    window: administrator),
            ]
        case .bluetoothdOld:
            return [
                Words(
                    mark("The Bluetooth service bluetoothd {version} is older than {oldest}, which Baton needs."),
                    terminal: mark("Upgrade BlueZ."), window: updates)
            ]
        case .advertisingSlow:
            return [
                Words(
                    mark("Other laptops see offers some seconds late, because bluetoothd {version} advertises slowly."),
                    window: administrator)
            ]
        case .eattOn:
            return [
                Words(
                    mark(
                        "Connecting can take some seconds longer, because bluetoothd opens several channels on each link."
                    ),
                    window: administrator)
            ]
        case .adapterOneRole:
            return [
                Words(
                    mark(
                        "Other laptops may not see or reach this one while its Bluetooth adapter {adapter} is connected."
                    ),
                    mark("Use another adapter."))
            ]
        default: return nil
        }
    }
}
