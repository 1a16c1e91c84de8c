// SPDX-License-Identifier: Apache-2.0

import SystemSetup
import Wording

/// Texts about changes to the system that need an administrator's password.
enum SetupText {
    static func button(_ step: SetupStep) -> String {
        switch step {
        case .installBluetoothSettings: tr("Set Up…")
        case .removeBluetoothSettings: tr("Remove…")
        case .openFirewall: tr("Allow…")
        case .closeFirewall: tr("Do Not Allow…")
        }
    }

    /// Returns the question that says what a change is, before anything is changed.
    static func question(_ step: SetupStep) -> QuestionText {
        switch step {
        case .installBluetoothSettings:
            QuestionText(
                heading: tr("Set up Bluetooth for Baton?"),
                text: tr(
                    "Scanning then uses less power, connections survive lost packets, and nobody can track this laptop by its address. LE Audio and a few other experimental profiles stay off. The change takes effect when this laptop restarts."
                ),
                cancel: tr("Cancel"), confirm: tr("Set Up"))
        case .removeBluetoothSettings:
            QuestionText(
                heading: tr("Remove Baton's Bluetooth settings?"),
                text: tr("Bluetooth works as before when this laptop has restarted."),
                cancel: tr("Cancel"), confirm: tr("Remove"))
        case .openFirewall:
            QuestionText(
                heading: tr("Allow Baton in the firewall?"),
                text: tr(
                    "Your other laptops can then reach this one over the network. The firewall opens the TCP ports 21740 to 21743 and the UDP port 21740."
                ),
                cancel: tr("Cancel"), confirm: tr("Allow"))
        case .closeFirewall:
            QuestionText(
                heading: tr("No longer allow Baton in the firewall?"),
                text: tr("Your other laptops may then reach this one over Bluetooth only."),
                cancel: tr("Cancel"), confirm: tr("Do Not Allow"))
        }
    }

    /// Returns the sentence about the result of a change.
    static func result(_ step: SetupStep, _ outcome: SetupOutcome) -> String {
        switch outcome {
        case .done: done(step)
        case .dismissed: tr("Nothing was changed.")
        case .forbidden: tr("Nothing was changed. Only an administrator may do this.")
        case .noAgent:
            tr(
                "Nothing was changed, because no program is running that asks for the password. Start a polkit agent, or log in to another desktop, and try again."
            )
        case .noBluetooth: tr("Nothing was changed. This laptop has no Bluetooth service.")
        case .unitChanged, .configurationChanged:
            tr(
                "Nothing was changed, because somebody has already changed the Bluetooth settings of this laptop. Ask your administrator."
            )
        case .otherFile:
            tr("Nothing was changed, because another file is in the place of Baton's settings. Ask your administrator.")
        case .noFirewall where step == .closeFirewall: tr("Nothing was changed, because no firewall is on.")
        case .noFirewall: tr("Nothing was changed, because no firewall is on. Use another network.")
        case .firewallFailed: tr("The firewall has reported an error. Ask your administrator.")
        case .failed: tr("The change could not be made. Ask your administrator.")
        }
    }

    private static func done(_ step: SetupStep) -> String {
        switch step {
        case .installBluetoothSettings:
            tr("Bluetooth is set up for Baton. Restart this laptop, so that this takes effect.")
        case .removeBluetoothSettings:
            tr("Baton's Bluetooth settings are removed. Restart this laptop, so that this takes effect.")
        case .openFirewall: tr("The firewall allows Baton.")
        case .closeFirewall: tr("The firewall has no rules for Baton any more.")
        }
    }
}
