// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import Wording

/// The page on which the user adds another laptop.
struct PairingPage {
    let status: DaemonStatus
    let step: PairingStep
    /// Whether this laptop comes back as a laptop that was removed from its circle.
    let isComingBack: Bool
    let hasCamera: Bool
    let now: Date

    var page: Page {
        var page = Page(title: tr("Add a Laptop"))
        switch step {
        case .idle:
            page.header = .status(
                icon: "computer-symbolic", heading: tr("No laptop is being added"),
                text: tr("Choose Add a Laptop on the other laptop, too. Then compare digits, or choose another way."))
            page.buttons = [PageButton(tr("Compare Digits"), .pair(.digits), style: .suggested)]
            page.sections = [ways]
        case .searching(let address):
            page.header = .busy(heading: tr("Choose Add a Laptop on the other laptop, too"), text: searching(address))
            if address == nil { page.buttons = radioSettings }
            page.sections = addresses + [ways]
        case .comparing(let digits):
            page.header = .digits(
                Self.grouped(digits.digits), heading: tr("Does the other laptop show the same?"), text: "")
            page.buttons = [
                PageButton(tr("They Differ"), .compared(same: false), style: .destructive),
                PageButton(tr("They Are the Same"), .compared(same: true), style: .suggested),
            ]
        case .waiting where status.pairing == .joining:
            page.header = .busy(
                heading: tr("Adding the laptop"), text: tr("Both laptops agree. This takes some seconds."))
        case .waiting:
            page.header = .busy(
                heading: tr("Waiting for the other laptop"),
                text: tr("Choose They Are the Same on the other laptop, too."))
        case .makingCode, .joining:
            page.header = .busy(heading: tr("Adding the laptop"), text: tr("This takes up to two minutes."))
        case .showingCode(let code): show(code, on: &page)
        case .scanning:
            page.header = .camera(
                heading: tr("Hold the other laptop's code in front of the camera"),
                text: tr("Choose “Show a code” on the other laptop. This laptop reads the code when it is sharp."))
            page.buttons = [PageButton(tr("Cancel"), .endScan)]
        case .notScanned(let failure):
            page.header = .status(
                icon: "dialog-warning-symbolic", heading: tr("No code was read"), text: FailureText.scanning(failure))
            page.buttons = [
                PageButton(tr("Compare Digits"), .pair(.digits)),
                PageButton(tr("Try Again"), .pair(.scanCode), style: .suggested),
            ]
            page.sections = [ways]
        case .done(let circle): showDone(circle, on: &page)
        case .failed(let error):
            page.header = .status(
                icon: "dialog-warning-symbolic", heading: tr("The laptop is not added"),
                text: FailureText.pairing(error, wait: wait, hasRadio: status.hasRadio))
            page.buttons = [
                PageButton(tr("Try Again"), .pair(isComingBack ? .comingBack : .digits), style: .suggested)
            ]
            page.sections = [ways]
        }
        return page
    }

    /// The minutes until digits can be compared again, or nil if they can be compared now.
    private var wait: Int? {
        status.pairingRefusedUntil.map { Int(($0.timeIntervalSince(now) / 60).rounded(.up)) }.flatMap {
            $0 > 0 ? $0 : nil
        }
    }

    private func searching(_ address: String?) -> String {
        if let address {
            return tr("Trying {address}, for two minutes at most.", ["address": ShownText.name(address)])
        }
        return status.hasRadio
            ? tr("Keep the laptops near each other. This laptop looks for two minutes.") : FailureText.withoutRadio
    }

    /// The button with which the user turns Bluetooth on, if that is what keeps this laptop from
    /// looking for the other one.
    private var radioSettings: [PageButton] {
        guard !status.hasRadio, let problem = status.radioProblem,
            case .buttons(let buttons)? = FindingAdvice(problem).control
        else { return [] }
        return buttons
    }

    /// The addresses of this laptop, for another one without Bluetooth.
    private var addresses: [Page.Section] {
        let found = status.endpoints.filter { $0.hasPrefix("tcp:") }.prefix(2).map { String($0.dropFirst(4)) }
        guard !found.isEmpty else { return [] }
        let rows = found.map { Row(id: $0, title: $0, icon: "network-wired-symbolic") }
        return [
            Page.Section(
                id: "addresses", text: tr("Without Bluetooth, type this address on the other laptop:"), rows: rows)
        ]
    }

    private var ways: Page.Section {
        var rows = [
            Row(
                id: "show", title: tr("Show a code"),
                subtitle: tr("The other laptop reads it, instead of comparing digits."),
                control: .buttons([PageButton(tr("Show"), .pair(.showCode))])),
            Row(id: "code", title: tr("Paste the other laptop's code"), control: .entry("", .code)),
            Row(id: "address", title: tr("Type the other laptop's address"), control: .entry("", .address)),
        ]
        if hasCamera {
            let scan = Row(
                id: "scan", title: tr("Scan the code with the camera"),
                subtitle: tr("The other laptop shows the code."),
                control: .buttons([PageButton(tr("Scan"), .pair(.scanCode))]))
            rows.insert(scan, at: 1)
        }
        if status.circle != nil {
            rows.append(
                Row(
                    id: "back", title: tr("This laptop was removed"), subtitle: tr("It comes back as a new laptop."),
                    control: .buttons([PageButton(tr("Come Back"), .pair(.comingBack))])))
        }
        return Page.Section(id: "ways", title: tr("Other Ways"), rows: rows)
    }

    private func show(_ code: PairingCode, on page: inout Page) {
        page.header = .code(
            code.code, heading: tr("Read this code on the other laptop"),
            text: tr(
                "Or copy its text, and paste it there. It is good for one laptop, until {time}.",
                ["time": TimeText.moment(code.expires, now: now)]))
        page.buttons = [
            PageButton(tr("Cancel"), .back), PageButton(tr("Copy the Text"), .copy(code.code), style: .suggested),
        ]
    }

    private func showDone(_ circle: CircleSummary, on page: inout Page) {
        page.header = .status(
            icon: "emblem-ok-symbolic", heading: tr("The laptop is added"),
            text: tr(
                "This laptop works together with {laptops} now. Open something on one laptop, and continue it on another.",
                ["laptops": MemberText.others(circle.members)]))
        page.buttons = [PageButton(tr("Done"), .back, style: .suggested)]
    }

    /// Returns the digits in two groups, the first one on the left in every language. A text from
    /// right to left would change their order.
    private static func grouped(_ digits: String) -> String {
        "\u{2066}\(digits.prefix(3)) \(digits.dropFirst(3).prefix(3))\u{2069}"
    }
}
