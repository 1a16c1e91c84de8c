// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import FoundationEssentials
import Wording

/// The first page: what can be continued here, what this laptop offers, and the user's laptops.
struct HomePage {
    let status: DaemonStatus
    let findings: [Finding]
    let offers: [OfferSummary]
    let opening: Set<String>
    let apps: InstalledApps
    let setup: SetupChoices
    let now: Date

    var page: Page {
        Page(
            title: tr("Baton"),
            sections: questions + trouble + [
                Page.Section(id: "offers", title: tr("Continue Here"), rows: offerRows),
                Page.Section(id: "own", title: tr("From Here"), rows: ownRows),
                Page.Section(id: "laptops", title: tr("Your Laptops"), rows: laptopRows),
                Page.Section(id: "more", rows: [pauseRow, appsRow, privacyRow, Self.troubleRow(findings)]),
            ])
    }

    /// The questions that wait for the user, each with a button that leads to the answer.
    private var questions: [Page.Section] {
        let rows = status.findings.filter { FindingAdvice.questions.contains($0.code) }.prefix(2).map { finding in
            let advice = FindingAdvice(finding)
            return Row(
                id: finding.code, title: advice.sentence, subtitle: advice.advice, icon: "dialog-question-symbolic",
                control: advice.control ?? .none)
        }
        return rows.isEmpty ? [] : [Page.Section(id: "questions", rows: Array(rows))]
    }

    /// The worst finding, with its button.
    private var trouble: [Page.Section] {
        guard let first = findings.first else { return [] }
        let advice = FindingAdvice(first, setup)
        let row = Row(
            id: "finding", title: advice.sentence, subtitle: advice.advice, icon: "dialog-warning-symbolic",
            control: advice.control ?? .open(.show(.trouble)))
        return [Page.Section(id: "finding", rows: [row])]
    }

    private var offerRows: [Row] {
        guard !status.isPaused else {
            return [Row(id: "none", title: tr("Nothing is shown while Baton is paused"))]
        }
        guard !offers.isEmpty else {
            return [
                Row(
                    id: "none", title: tr("Nothing to continue now"),
                    subtitle: tr("Open something on another laptop that is near."))
            ]
        }
        return offers.map { offer in
            let control: Row.Control =
                opening.contains(offer.offer)
                ? .busy(PageButton(tr("Cancel"), .request(.cancel(offer: offer.offer))))
                : OfferText.canContinue(offer)
                    ? .buttons([PageButton(tr("Continue"), .request(.open(offer: offer.offer)), style: .suggested)])
                    : .none
            return Row(
                id: offer.offer, title: OfferText.what(offer, apps: apps), subtitle: OfferText.origin(offer),
                icon: OfferText.icon(offer), control: control)
        }
    }

    private var ownRows: [Row] {
        guard !status.isPaused else {
            return [Row(id: "none", title: tr("Nothing is offered while Baton is paused"))]
        }
        let offered = status.offered.map { [row($0)] } ?? []
        let withheld = status.withheld.prefix(WindowModel.maximumRows).enumerated().map { index, item in
            Row(
                id: "withheld-\(index)", title: ShownText.title(item.name),
                subtitle: tr("Not offered: {reason}", ["reason": ShownText.sentence(item.reason)]))
        }
        guard offered.isEmpty, withheld.isEmpty else { return offered + withheld }
        return [
            Row(
                id: "none", title: tr("Baton offers what you have open"),
                subtitle: tr("Web pages, documents, texts, music and videos, as long as an app shows them."))
        ]
    }

    private func row(_ offer: OwnOffer) -> Row {
        let title = offer.title.map(ShownText.title) ?? ""
        return Row(
            id: "offered", title: title.isEmpty ? OfferText.what(offer, apps: apps) : title,
            subtitle: tr("Offered to your other laptops"), icon: OfferText.icon(offer))
    }

    private var laptopRows: [Row] {
        let rows = status.members.prefix(WindowModel.maximumRows).map { member in
            Row(
                id: member.device, title: MemberText.name(of: member.device, in: status.members),
                subtitle: MemberText.presence(of: member, now: now), icon: "computer-symbolic",
                control: .open(.show(.laptop(member.device))))
        }
        return rows + [
            Row(
                id: "add", title: tr("Add a Laptop"), icon: "list-add-symbolic", control: .open(.show(.addLaptop)))
        ]
    }

    private var pauseRow: Row {
        guard status.isPaused else {
            return Row(
                id: "pause", title: tr("Pause"), subtitle: tr("Nothing is offered or shown."),
                control: .buttons([
                    PageButton(tr("1 Hour"), .request(.pause(seconds: 3_600))),
                    PageButton(tr("Until I Resume"), .request(.pause(seconds: nil))),
                ]))
        }
        let title =
            status.pausedUntil.map { tr("Paused until {time}", ["time": TimeText.moment($0, now: now)]) }
            ?? tr("Paused")
        return Row(
            id: "pause", title: title, subtitle: tr("Nothing is offered or shown."),
            control: .buttons([PageButton(tr("Resume"), .request(.resume), style: .suggested)]))
    }

    private var appsRow: Row {
        Row(
            id: "apps", title: tr("Apps"), subtitle: tr("Which apps take part, and what they ask for"),
            control: .open(.show(.apps)))
    }

    private var privacyRow: Row {
        Row(
            id: "privacy", title: tr("Privacy and Rules"), subtitle: tr("What is shared, and what was"),
            control: .open(.show(.privacy)))
    }

    /// The row that leads to the page for problems.
    static func troubleRow(_ findings: [Finding]) -> Row {
        let count = findings.count
        return Row(
            id: "trouble", title: tr("Something Is Wrong?"),
            subtitle: count == 0
                ? tr("Baton finds nothing wrong here.")
                : ntr("Baton finds {count} problem.", "Baton finds {count} problems.", count),
            control: .open(.show(.trouble)))
    }
}
