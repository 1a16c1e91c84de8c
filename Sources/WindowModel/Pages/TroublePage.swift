// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import SystemSetup
import Wording

/// The page with the problems that keep Baton from working.
struct TroublePage {
    let findings: [Finding]
    let setup: SetupChoices

    var page: Page {
        let report = Row(
            id: "report", title: tr("Report"),
            subtitle: tr("For somebody who helps you. You see it before it is saved."),
            control: .open(.show(.report)))
        var page = Page(title: tr("Problems"), sections: system + [Page.Section(id: "report", rows: [report])])
        guard !findings.isEmpty else {
            page.header = .status(
                icon: "emblem-ok-symbolic", heading: tr("Baton finds nothing wrong"),
                text: tr("If something does not work, look at the other laptop, too."))
            return page
        }
        page.sections.insert(Page.Section(id: "findings", rows: rows), at: 0)
        return page
    }

    private var rows: [Row] {
        findings.prefix(WindowModel.maximumRows).enumerated().map { index, finding in
            let advice = FindingAdvice(finding, setup)
            // A problem keeps its row, and so the focus, when a worse one ends.
            let occurrence = findings[..<index].count { $0.code == finding.code }
            return Row(
                id: "\(occurrence)-\(finding.code)", title: advice.sentence, subtitle: advice.advice,
                icon: "dialog-warning-symbolic", control: advice.control ?? .none)
        }
    }

    /// The changes to the system that can be made or undone at any time.
    private var system: [Page.Section] {
        var rows: [Row] = []
        if setup.state.isPossible, setup.state.hasBluetoothSettings {
            rows.append(
                Row(
                    id: "bluetooth", title: tr("Bluetooth is set up for Baton"),
                    subtitle: tr("Changes take effect when this laptop restarts."),
                    control: setup.control(for: .removeBluetoothSettings)))
        }
        if setup.canOpenFirewall {
            rows.append(
                Row(
                    id: "firewall", title: tr("Baton in the Firewall"),
                    subtitle: tr("If the firewall allows Baton, your other laptops reach this one over the network."),
                    control: setup.control(for: .openFirewall, .closeFirewall)))
        }
        return rows.isEmpty ? [] : [Page.Section(id: "system", title: tr("This Laptop's Settings"), rows: rows)]
    }
}
