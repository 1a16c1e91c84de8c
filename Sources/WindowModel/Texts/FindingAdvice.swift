// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Wording

/// A problem as the user reads it, with the button that solves it.
struct FindingAdvice {
    /// The findings that have a place of their own in the window.
    static let shownElsewhere: Set<String> = Set(
        [FindingCode.noCircle, .paused, .alone, .grantsPending, .adaptersPending].map(\.rawValue))

    /// The problem.
    let sentence: String
    /// The advice.
    let advice: String
    /// The button that does it.
    var button: PageButton?

    init(_ finding: Finding) {
        (sentence, advice, button) = Self.texts(finding)
    }

    private static var settings: PageButton { PageButton(tr("Bluetooth Settings"), .openBluetoothSettings) }

    private static func texts(_ finding: Finding) -> (String, String, PageButton?) {
        switch FindingCode(rawValue: finding.code) {
        case .adapterOff?:
            (tr("Bluetooth is off"), tr("Your other laptops cannot find this one. Turn Bluetooth on."), settings)
        case .adapterBlocked?:
            (
                tr("Bluetooth is blocked"),
                tr("A switch on the laptop or airplane mode blocks it. Turn that off."), settings
            )
        case .adapterMissing?:
            (tr("There is no Bluetooth"), tr("This laptop has no Bluetooth adapter that can be used."), nil)
        case .adapterUnfit?, .adapterOneRole?:
            (
                tr("The Bluetooth adapter is too old"),
                tr("It cannot do what Baton needs. Your laptops find each other over the network alone."), nil
            )
        case .bluetoothdStopped?, .bluetoothdSilent?, .systemBusGone?:
            (tr("The Bluetooth service does not answer"), tr("Restart the laptop."), nil)
        case .removed?:
            (
                tr("Another laptop has removed this one"),
                tr("Nothing is continued between them any more. Add this laptop again to come back."),
                PageButton(tr("Come Back"), .show(.addLaptop), style: .suggested)
            )
        case .outOfTouch?:
            (
                tr("No other laptop was in touch for a day"),
                tr("They may be off or far away. If they are near, this laptop may have been removed: add it again."),
                PageButton(tr("Add Again"), .show(.addLaptop))
            )
        case .circleOutdated?:
            (
                tr("Your laptops were connected by an old version"),
                tr("Take this laptop out, and add it again."), PageButton(tr("Take Out…"), .ask(.leave))
            )
        case .stateUnwritable?, .advertisingWaits?:
            (tr("The disk is full"), tr("Baton cannot write down what it must keep. Make room on the disk."), nil)
        case .keysUnusable?:
            (tr("Baton cannot read its keys"), tr("Save a report and ask for help."), nil)
        case .fileDamaged?:
            (tr("A file of Baton's was damaged"), tr("Look at your rules and permissions: some may be gone."), nil)
        case .noNotifications?:
            (
                tr("This desktop shows no notifications"),
                tr("Offers of other laptops are listed in this window only."), nil
            )
        case .settingsMistake?:
            (tr("There is a mistake in the settings"), finding.text(on: .window), nil)
        case .clockWrong?, .clockDiffers?:
            (
                tr("The clock of a laptop is wrong"),
                tr("Set the date and the time on all of your laptops, or let them be set automatically."), nil
            )
        case .deviceSilent?, .radioOneWay?, .transportOneWay?:
            (
                tr("A laptop that is near does not answer"),
                tr("Bring the laptops closer together, or turn Bluetooth off and on again on both."), nil
            )
        case .firewallOn?, .tcpUnreached?:
            (
                tr("A firewall blocks the other laptops"),
                tr("They use Bluetooth instead, which is slower. Let Baton through the firewall."), nil
            )
        case .radioSimulated?:
            (tr("The radio is simulated"), tr("This is a test: no other laptop can hear this one."), nil)
        case .sequenceUsedUp?:
            (
                tr("This laptop must be added again"),
                tr("It has used up its numbers. Take it out, and add it again."),
                PageButton(tr("Take Out…"), .ask(.leave))
            )
        default: (tr("Baton does not work as well as it could"), finding.text(on: .window), nil)
        }
    }
}
