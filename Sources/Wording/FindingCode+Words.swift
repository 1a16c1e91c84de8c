// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    /// The words for a finding. The first ones whose sentence has all its values are shown.
    var words: [Words] { daemon ?? radio ?? network ?? circle ?? desktop }

    private var daemon: [Words]? {
        switch self {
        case .noSessionBus:
            [
                Words(
                    mark("This session has no session bus ({reason})."), terminal: mark("Log in to a desktop session."),
                    window: mark("Log out, and log in again."))
            ]
        case .daemonStopped:
            [
                Words(mark("Baton is not running ({reason})."), window: mark("Log out, and log in again.")),
                Words(mark("Baton is not running."), window: mark("Log out, and log in again.")),
            ]
        case .daemonSilent:
            [
                Words(mark("Baton does not answer ({reason})."), window: mark("Log out, and log in again.")),
                Words(mark("Baton runs, but does not answer."), window: mark("Log out, and log in again.")),
            ]
        case .daemonRestarted:
            [
                Words(
                    counted(
                        "Baton crashed or hung {count} time, and was started again.",
                        "Baton crashed or hung {count} times, and was started again.", by: "count"),
                    terminal: mark("Report it, with the output of \"{command}\"."), window: mark("Report it."))
            ]
        case .daemonNotEnabled:
            [
                Words(
                    mark("Baton does not start with the session, so offers come only after an app has asked for them."),
                    window: mark("Ask your administrator to start Baton with each session."))
            ]
        case .versionDiffers:
            [
                Words(
                    mark("Baton {running} is running, and {installed} is installed."),
                    window: mark("Log out, and log in again."))
            ]
        case .keysUnusable:
            [
                Words(
                    mark("The keys of this laptop are not safe ({unsafe})."),
                    terminal: mark(
                        "If you are sure that nobody has read them, run \"{command}\", then start batond again."),
                    window: mark("If you are sure that nobody has read them, take the permissions of others away.")),
                Words(
                    mark("The keys of this laptop cannot be used ({reason})."),
                    terminal: mark(
                        "Restore them from a backup, then start batond again. Without them, pair this laptop again."),
                    window: mark("Restore them from a backup. Without them, pair this laptop again.")),
            ]
        case .stateUnwritable:
            [
                Words(
                    mark("Baton cannot save its data, so nothing changes here ({reason})."),
                    mark("Make room on the disk, and check the permissions."))
            ]
        case .advertisingWaits:
            [
                Words(
                    mark("Nothing new is offered, because Baton cannot save its data."),
                    mark("Make room on the disk, and check the permissions."))
            ]
        case .fileDamaged: damagedFiles
        case .checkFailed:
            [
                Words(mark("The check \"{check}\" failed ({reason})."), mark("Try again.")),
                Words(
                    mark("\"{laptop}\" could not be asked what it hears and reaches ({reason})."),
                    mark("Install the same version of Baton on both laptops.")),
            ]
        case .checkHung: [Words(mark("The check \"{check}\" took too long."), mark("Try again."))]
        case .warning:
            [
                Words(
                    mark("Baton reports a problem that this version does not know."),
                    mark("Install the same version of all parts of Baton."))
            ]
        default: nil
        }
    }

    private var damagedFiles: [Words] {
        let advice = mark("Look at the file, then remove it.")
        return [
            Words(
                mark("The list of what sandboxed apps may do was damaged, and is empty now. It is in {grants}."), advice
            ),
            Words(mark("The list of allowed adapters was damaged, and is empty now. It is in {adapters}."), advice),
            Words(mark("What apps have saved for searches was damaged, and is gone. It is in {saved}."), advice),
        ]
    }

    private var radio: [Words]? {
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
                        "Other programs use all the room for advertisements that the Bluetooth adapter {adapter} has."),
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
                    window: mark("Ask your administrator to turn on the privacy of Bluetooth."))
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
                    mark("Bluetooth scanning uses more power, because bluetoothd has no monitors of advertisements."),
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

    private var network: [Words]? {
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
                    window: mark("Add the other laptop again in this network, or turn Bluetooth on."))
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

    private var circle: [Words]? {
        let pairing = mark("Run \"baton pair\" here and on another laptop, or \"baton circle join FILE\".")
        let (adding, add) = (mark("Open Baton, and add a laptop."), mark("Add a laptop."))
        switch self {
        case .noCircle:
            return [
                Words(
                    mark("This laptop is not paired with another one."), terminal: pairing, window: adding,
                    ownWindow: add)
            ]
        case .removed:
            return [
                Words(mark("\"{laptop}\" has removed this laptop."), terminal: pairing, window: adding, ownWindow: add),
                Words(mark("Another laptop has removed this one."), terminal: pairing, window: adding, ownWindow: add),
            ]
        case .circleOutdated:
            return [
                Words(
                    mark("An earlier version of Baton paired this laptop, and this version cannot use that."),
                    terminal: mark("Run \"baton leave\" on each laptop, then \"baton pair\" on two of them."),
                    window: mark("Open Baton on each laptop, take it out, and add it again."),
                    ownWindow: mark("Take this laptop and the others out, and add them again."))
            ]
        case .alone:
            return [
                Words(
                    mark("No other laptop is paired with this one."),
                    terminal: mark("Run \"baton pair\" here and on another laptop."), window: adding, ownWindow: add)
            ]
        case .outOfTouch:
            return [
                Words(
                    mark(
                        "No other laptop was in touch since {since}. This one may have been removed, or a clock is wrong."
                    ),
                    terminal: mark(
                        "See \"baton devices\" on another one. To pair again, run \"baton pair --anew\" here, \"baton pair\" there."
                    ),
                    window: mark("Turn on another laptop nearby, and see whether this one is still in its list."))
            ]
        case .sequenceUsedUp:
            return [
                Words(
                    mark("This laptop has used up the numbers for its offers."),
                    terminal: mark("Run \"baton pair --anew\" here, and \"baton pair\" on another laptop."),
                    window: mark("Open Baton, and add this laptop again."),
                    ownWindow: mark("Take this laptop out, and add it again."))
            ]
        case .clockWrong:
            return [
                Words(
                    mark("The clock of this laptop is wrong. It shows {clock}."),
                    window: mark("Set the clock in the settings."))
            ]
        case .clockDiffers:
            let advice = mark("Set the clock that is wrong.")
            return [
                Words(mark("The clock of \"{laptop}\" is {ahead} ahead. Its offers may not come."), advice),
                Words(mark("The clock of \"{laptop}\" is {behind} behind. Its offers may not come."), advice),
                Words(mark("The clock of \"{laptop}\" is {allowedAhead} ahead. Baton allows for that."), advice),
                Words(mark("The clock of \"{laptop}\" is {allowedBehind} behind. Baton allows for that."), advice),
            ]
        default: return nil
        }
    }

    private var desktop: [Words] {
        switch self {
        case .paused:
            [
                Words(mark("Baton is paused until {end}."), window: mark("Choose \"Resume\" in the panel.")),
                Words(mark("Baton is paused."), window: mark("Choose \"Resume\" in the panel.")),
            ]
        case .settingsMistake: settings
        case .noNotifications:
            [
                Words(
                    mark("This session shows no notifications, so offers are not shown."),
                    terminal: mark(
                        "Start a notification server such as dunst, or put \"notifications = off\" into baton.conf."),
                    window: mark("Start a notification server such as dunst."))
            ]
        case .grantsPending:
            [
                Words(
                    counted(
                        "{count} sandboxed app asks for activities of other apps.",
                        "{count} sandboxed apps ask for activities of other apps.", by: "count"),
                    window: mark("Open Baton, and answer them under Apps."),
                    ownWindow: mark("Answer them under Apps."))
            ]
        case .adaptersPending:
            [
                Words(
                    mark("An adapter in your own directory waits until you allow it."),
                    window: mark("Open Baton, and allow or refuse it under Apps."),
                    ownWindow: mark("Allow or refuse it under Apps."))
            ]
        case .signalUnknown:
            [
                Words(
                    mark("A rule waits until \"{laptop}\" is near, but the radio does not say how near it is."),
                    terminal: mark("\"baton open\" continues its offer now."),
                    window: mark("Click its offer to continue it now."))
            ]
        case .speakerUnknown:
            [
                Words(
                    mark("Baton cannot identify some programs, and offers nothing from them: {programs}."),
                    mark("Start them as your own user, without file capabilities.")),
                Words(
                    mark("Baton cannot identify a program, and offers nothing from it."),
                    mark("Start it as your own user, without file capabilities.")),
            ]
        case .speakerSandboxed:
            [
                Words(
                    mark("Some programs run in a sandbox, so Baton offers nothing from them: {programs}."),
                    mark("Install them from the packages of your distribution.")),
                Words(
                    mark("A program runs in a sandbox, so Baton offers nothing from it."),
                    mark("Install it from the packages of your distribution.")),
            ]
        case .extensionWaiting:
            [
                Words(
                    mark("The Firefox profile {profile} has not taken Baton's extension yet."),
                    mark("Close Firefox, and start it twice."))
            ]
        default: []
        }
    }

    private var settings: [Words] {
        let advice = mark("Correct baton.conf.")
        let naming = mark("Write device=ID into the rule, with the id of the laptop.")
        return [
            Words(mark("baton.conf has a mistake, so the former settings are in force ({former})."), advice),
            Words(mark("baton.conf has a mistake, so only its other lines are in force ({partly})."), advice),
            Words(
                mark("baton.conf cannot be read, so nothing is offered and no offer is shown ({unreadable})."), advice),
            Words(
                mark("Rule {stray} is about a laptop that is not one of yours: {rule}."),
                terminal: mark("To remove it, run \"{command}\"."), window: mark("Remove it.")),
            Words(mark("The rule in line {idle} of baton.conf is not in force ({reason})."), naming),
            Words(mark("The rule in line {named} of baton.conf goes by the name of a laptop ({reason})."), naming),
            Words(
                mark("The rules in baton.conf name laptops, and Baton could not replace the names ({unwritten})."),
                naming),
            Words(
                mark("No app with the id {missingApp} is installed, so it is not the default app for {type}."), advice),
            Words(mark("{unfitApp} cannot continue {type}, so it is not the default app for that."), advice),
            Words(mark("No adapter with the id {adapter} is installed, so switching it off has no effect."), advice),
            Words(mark("baton.conf has a mistake ({mistake})."), advice),
        ]
    }
}
