// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import Wording

/// The state and the next steps on one screen: the output of `baton` without a command.
struct Overview {
    /// The largest number of offers, and of devices, on the screen. `baton nearby` and
    /// `baton devices` list all.
    static let maximumListed = 8

    let status: DaemonStatus
    let offers: [OfferSummary]
    let now: Date

    var lines: [String] {
        guard let circle = circleLines else {
            // The daemon's warnings explain why there is no circle. Leave the name out if the
            // device has no keys, because then it has no name.
            let name = tr("This laptop is called \"{laptop}\".", ["laptop": status.deviceName])
            return (status.device.isEmpty ? [] : [name])
                + (warnings.isEmpty ? [Daemon.noCircle(status)] : warnings)
                + pauseLines + ["", Self.help]
        }
        return circle + stateLines + offerLines + ["", Self.help]
    }

    private static var help: String { tr("All commands: {command}", ["command": "baton --help"]) }

    private var circleLines: [String]? {
        guard status.circle != nil else { return nil }
        let others = status.members.filter { !$0.isThisDevice }
        let name = status.deviceName
        guard !others.isEmpty else {
            return [
                tr(
                    "\"{laptop}\" is paired with no other laptop. Run \"baton pair\" here and on another.",
                    ["laptop": name])
            ]
        }
        let names = DeviceNames(status.members)
        return [tr("This laptop, \"{laptop}\", is paired with:", ["laptop": name])]
            + Self.listed(others.map { "  \(names.label(of: $0))  \($0.standing(at: now))" }, all: "baton devices")
    }

    private var warnings: [String] { status.findings.map { $0.text(on: .terminal) } }

    private var stateLines: [String] { pauseLines + Self.paragraph(warnings) }

    /// The lines about offers. Hidden offers are left out. Offers that no app of this device can
    /// open come in a separate list.
    private var offerLines: [String] {
        let shown = offers.filter { !$0.isHidden }
        guard offers.isEmpty || !shown.isEmpty else {
            return ["", tr("Your rules hide what other laptops offer. \"baton nearby\" lists it.")]
        }
        guard !shown.isEmpty else { return ["", tr("No other laptop offers anything now.")] }
        // An offer of unknown type counts as openable, because the type may still arrive.
        let (openable, others) = (shown.filter(Self.canBeOpened), shown.filter { !Self.canBeOpened($0) })
        return Self.list(tr("To continue here, run \"baton open\":"), openable)
            + Self.list(tr("No app here continues these. \"baton continue\" shows what they hold:"), others)
    }

    private static func canBeOpened(_ offer: OfferSummary) -> Bool {
        offer.type == nil || offer.application != nil || offer.hasWebpage
    }

    private static func list(_ heading: String, _ offers: [OfferSummary]) -> [String] {
        guard !offers.isEmpty else { return [] }
        return ["", heading] + listed(OfferText.choices(offers).map { "  \($0)" }, all: "baton nearby")
    }

    private var pauseLines: [String] {
        PauseText.finding(of: status).map { ["", $0.text(on: .terminal)] } ?? []
    }

    private static func paragraph(_ lines: [String]) -> [String] { lines.isEmpty ? [] : [""] + lines }

    private static func listed(_ lines: [String], all command: String) -> [String] {
        guard lines.count > maximumListed else { return lines }
        let rest = lines.count - maximumListed
        return lines.prefix(maximumListed) + [
            "  " + ntr("and {count} more: {command}", "and {count} more: {command}", rest, ["command": command])
        ]
    }
}
