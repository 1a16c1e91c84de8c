// SPDX-License-Identifier: Apache-2.0

import Wording

/// The page that shows the report before it is saved.
struct ReportPage {
    let report: String?

    var page: Page {
        guard let report else {
            return Page(
                title: tr("Report"),
                header: .busy(heading: tr("Looking at this laptop"), text: tr("This takes up to a minute.")))
        }
        let heading = Page.Section(
            id: "text", title: tr("This is the report"),
            text: tr(
                "Read it before you give it to somebody. The problems at its beginning may name laptops, apps and addresses. Below them, letters stand for names and addresses."
            ), rows: [])
        return Page(
            title: tr("Report"), buttons: [PageButton(tr("Save…"), .saveReport, style: .suggested)],
            sections: [heading], text: report)
    }
}
