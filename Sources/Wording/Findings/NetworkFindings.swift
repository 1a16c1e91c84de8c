// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    /// The words about the network, and about reaching other laptops.
    var networkWords: [Words]? {
        switch self {
        case .noAddress:
            [
                Words(
                    mark("This laptop is in no network, so everything goes over Bluetooth, which is slower."),
                    mark("Connect it to a network."))
            ]
        case .networkUnknown:
            [
                Words(
                    mark(
                        "Baton does not look for your other laptops in this network, because it has met none of them here."
                    ),
                    terminal: mark("If the network is yours, run \"{command}\"."),
                    window: mark("Open Baton. If the network is yours, let it look for them here."),
                    ownWindow: mark("If the network is yours, let Baton look for them here."))
            ]
        case .datagramsRefused:
            [
                Words(
                    mark(
                        "Laptops whose addresses have changed are found only over Bluetooth, because the Linux kernel of this laptop is older than version 5.7."
                    ),
                    mark("Update the Linux kernel."))
            ]
        case .networkIsolated:
            [
                Words(
                    mark(
                        "\"{laptop}\" is nearby and has an address in the same network ({addresses}), but the network passes nothing between the two laptops."
                    ),
                    terminal: mark(
                        "The access point may keep its devices apart (client isolation), as networks for guests do: turn that off, or use another network."
                    ),
                    window: mark(
                        "The Wi-Fi router may keep its devices apart, as networks for guests do. Turn that off in its settings, or use another network."
                    ))
            ]
        case .tcpUnanswered:
            [
                Words(
                    mark(
                        "Streams to \"{laptop}\" are slow, because it does not answer over the network ({addresses})."),
                    terminal: mark("Run \"baton doctor network\" there: a firewall may be on. Or use another network."),
                    window: otherFirewall),
                Words(
                    mark("Streams to \"{laptop}\" are slow, because it does not answer over the network."),
                    terminal: mark("Run \"baton doctor network\" there: a firewall may be on. Or use another network."),
                    window: otherFirewall),
            ]
        case .noRoute:
            [
                Words(
                    mark("Streams to \"{laptop}\" are slow, because it is in another network ({addresses})."),
                    mark("Connect both laptops to the same network.")),
                Words(
                    mark("Streams to \"{laptop}\" are slow, because it is in another network."),
                    mark("Connect both laptops to the same network.")),
            ]
        case .tcpUnreached:
            [
                Words(
                    mark("Streams from \"{laptop}\" are slow, because it does not reach this laptop over the network."),
                    terminal: mark("Run \"baton doctor network\": a firewall may be on. Or use another network."),
                    window: mark("Check the firewall of this laptop, or use another network."))
            ]
        case .firewallOn:
            [
                Words(
                    mark("A firewall ({firewall}) is on, and another laptop did not reach this one over the network."),
                    window: mark("Allow Baton in the settings of the firewall."))
            ]
        case .deviceSilent:
            [
                Words(
                    mark("\"{laptop}\" does not answer ({reason})."), terminal: mark("Try \"{command}\"."),
                    window: mark("Bring the laptops closer together."))
            ]
        case .radioOneWay:
            [
                Words(mark("This laptop does not hear \"{unheard}\" by radio, though they are connected."), closer),
                Words(mark("\"{deaf}\" does not hear this laptop by radio, though they are connected."), closer),
            ]
        case .transportOneWay:
            [
                Words(mark("This laptop does not reach \"{to}\" over Bluetooth."), terminal: why, window: bothRadios),
                Words(mark("\"{from}\" does not reach this laptop over Bluetooth."), terminal: why, window: bothRadios),
                Words(
                    mark("This laptop does not reach \"{toByNetwork}\" over the network."), terminal: why,
                    window: otherFirewall),
                Words(
                    mark("\"{fromByNetwork}\" does not reach this laptop over the network."), terminal: why,
                    window: mark("Check the firewall of this laptop, or use another network.")),
            ]
        case .unreachable:
            [
                Words(
                    mark("No other laptop can be reached, neither over Bluetooth nor over the network."),
                    mark("Turn Bluetooth on, or connect this laptop to the network of another one."))
            ]
        default: nil
        }
    }

    private var otherFirewall: String { mark("Check the firewall of that laptop, or use another network.") }
    private var closer: String { mark("Bring the laptops closer together, and check Bluetooth on both.") }
    private var bothRadios: String { mark("Turn Bluetooth off and on, on both laptops.") }
    private var why: String { mark("Run \"{command}\" to see why.") }
}
