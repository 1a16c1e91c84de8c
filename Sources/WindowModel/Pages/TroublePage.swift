// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Wording

/// The page with the problems that keep Baton from working.
struct TroublePage {
    let findings: [Finding]

    var page: Page {
        let report = Row(
            id: "report", title: tr("Report"),
            subtitle: tr("For somebody who helps you. You see it before it is saved."),
            control: .open(.show(.report)))
        var page = Page(title: tr("Problems"), sections: [Page.Section(id: "report", rows: [report])])
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
            let advice = FindingAdvice(finding)
            return Row(
                id: "\(index)-\(finding.code)", title: advice.sentence, subtitle: advice.advice,
                icon: "dialog-warning-symbolic", control: advice.button.map { .buttons([$0]) } ?? .none)
        }
    }
}
