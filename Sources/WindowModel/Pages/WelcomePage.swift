// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import Wording

/// The first page of a laptop that is in no circle.
struct WelcomePage {
    let status: DaemonStatus
    let findings: [Finding]

    var page: Page {
        let add = PageButton(tr("Add a Laptop"), .show(.addLaptop), style: .suggested)
        let name = Row(id: "name", title: tr("Name of This Laptop"), control: .entry(status.deviceName, .name))
        return Page(
            title: tr("Baton"),
            header: .status(
                icon: "org.batonproject.Baton", heading: tr("Continue on Another Laptop"),
                text: tr(
                    "Start something on one laptop, and continue it on another. You need no account: the laptops find each other over Bluetooth."
                )),
            buttons: [add],
            sections: nearby + removed + [
                Page.Section(
                    id: "name", text: tr("Your other laptops show this name."), rows: [name]),
                Page.Section(id: "help", rows: [HomePage.troubleRow(findings)]),
            ])
    }

    /// The message that somebody is adding a laptop nearby.
    private var nearby: [Page.Section] {
        guard status.pairingNearby > 0 else { return [] }
        let row = Row(
            id: "nearby", title: tr("A laptop nearby is being added"),
            subtitle: tr("If it is yours, add this one, too, and compare the digits."), icon: "computer-symbolic",
            control: .buttons([PageButton(tr("Add"), .show(.addLaptop), style: .suggested)]))
        return [Page.Section(id: "nearby", rows: [row])]
    }

    /// The message that another laptop has removed this one, and how to come back.
    private var removed: [Page.Section] {
        let rows = status.findings.filter { $0.code == FindingCode.removed.rawValue }.map {
            let advice = FindingAdvice($0)
            return Row(id: "removed", title: advice.sentence, subtitle: advice.advice, icon: "dialog-warning-symbolic")
        }
        return rows.isEmpty ? [] : [Page.Section(id: "removed", rows: Array(rows.prefix(1)))]
    }
}
