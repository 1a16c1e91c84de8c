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
            // The daemon's warnings explain why there is no circle. A device without keys has no
            // name.
            return (status.device.isEmpty ? [] : ["This device is called \(status.deviceName)."])
                + (warnings.isEmpty ? [Daemon.noCircle(status)] : warnings)
                + pauseLines + ["", Self.help]
        }
        return circle + stateLines + offerLines + ["", Self.help]
    }

    private static let help = "All commands: baton --help"

    private var circleLines: [String]? {
        guard status.circle != nil else { return nil }
        let others = status.members.filter { !$0.isThisDevice }
        let first = "This device, \(status.deviceName), "
        guard !others.isEmpty else {
            return [first + "is alone in its circle. To add another, run there and here: baton pair"]
        }
        let names = DeviceNames(status.members)
        return [first + "is in a circle with:"]
            + Self.listed(
                others.map { "  \(names.label(of: $0))  \($0.standing(at: now))" }, all: "baton devices")
    }

    private var warnings: [String] { status.findings.map { $0.text(on: .terminal) } }

    private var stateLines: [String] { pauseLines + Self.paragraph(warnings) }

    /// The lines about offers. Hidden offers are left out. Offers that no app here can open come in
    /// a list of their own.
    private var offerLines: [String] {
        let shown = offers.filter { !$0.isHidden }
        guard offers.isEmpty || !shown.isEmpty else {
            return ["", "What other laptops offer is hidden by your rules; baton nearby lists it."]
        }
        guard !shown.isEmpty else { return ["", "No other laptop offers anything here just now."] }
        // An offer of unknown type counts as openable, because the type may still arrive.
        let (openable, others) = (shown.filter(Self.canBeOpened), shown.filter { !Self.canBeOpened($0) })
        return Self.list("To carry on here, run baton open:", openable)
            + Self.list("What no app here continues, baton continue shows:", others)
    }

    private static func canBeOpened(_ offer: OfferSummary) -> Bool {
        offer.type == nil || offer.application != nil || offer.hasWebpage
    }

    private static func list(_ heading: String, _ offers: [OfferSummary]) -> [String] {
        guard !offers.isEmpty else { return [] }
        return ["", heading] + listed(OfferText.choices(offers).map { "  \($0)" }, all: "baton nearby")
    }

    private var pauseLines: [String] {
        guard status.isPaused else { return [] }
        let until = PauseText.pause(of: status).map { " \($0)" } ?? ""
        return ["", "Paused\(until): nothing is offered or shown. To end that: baton resume"]
    }

    private static func paragraph(_ lines: [String]) -> [String] { lines.isEmpty ? [] : [""] + lines }

    private static func listed(_ lines: [String], all command: String) -> [String] {
        guard lines.count > maximumListed else { return lines }
        return lines.prefix(maximumListed) + ["  and \(lines.count - maximumListed) more: \(command)"]
    }
}
