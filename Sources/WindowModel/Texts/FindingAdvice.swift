// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Wording

/// A problem as the user reads it, with the button that helps.
struct FindingAdvice {
    /// The findings that ask the user for an answer.
    static let questions: Set<String> = Set([FindingCode.grantsPending, .adaptersPending].map(\.rawValue))
    /// The findings that have a place of their own in the window.
    static let shownElsewhere = questions.union([FindingCode.noCircle, .paused, .alone].map(\.rawValue))

    /// The findings that make Baton slower or easier to track, but keep nothing from working. On
    /// most laptops, Bluetooth has some of them for ever.
    static let minor: Set<String> = Set(
        [
            FindingCode.bluetoothPlain, .advertisingSlow, .eattOn, .addressPublic, .adapterOneRole, .datagramsRefused,
        ].map(\.rawValue))

    /// The problem.
    let sentence: String
    /// The advice.
    let advice: String
    /// The button that solves the problem, or leads to the place where the user follows the advice.
    let control: Row.Control?

    /// - Parameter setup: The changes to the system that the window offers.
    init(_ finding: Finding, _ setup: SetupChoices = .none) {
        let words = finding.inWords(on: .ownWindow)
        let cure = setup.cure(of: finding)
        sentence = ShownText.sentence(words.sentence)
        advice =
            if cure != nil {
                tr("An administrator's password is needed to change this.")
            } else if setup.isCuredByRestart(finding) {
                tr("Restart this laptop, so that Baton's Bluetooth settings take effect.")
            } else if setup.isCuredByFirewall(finding) {
                tr("The firewall now allows Baton. Test the connection in Baton's window on the other laptop.")
            } else {
                ShownText.sentence(words.advice)
            }
        control = cure.map { setup.control(for: $0) } ?? Self.button(for: finding).map { Row.Control.buttons([$0]) }
    }

    private static func button(for finding: Finding) -> PageButton? {
        switch FindingCode(rawValue: finding.code) {
        case .adapterOff?, .adapterBlocked?, .bluetoothdStopped?, .bluetoothdSilent?, .bluetoothBroken?,
            .radioNotReady?:
            PageButton(tr("Bluetooth Settings"), .openBluetoothSettings)
        case .networkUnknown?: PageButton(tr("Look Here"), .request(.knowNetworks))
        case .removed?: PageButton(tr("Come Back"), .show(.addLaptop), style: .suggested)
        // To add a laptop that the others have removed would fail, because this one is in the
        // circle.
        case .outOfTouch?: PageButton(tr("Add Again"), .comeBack)
        case .circleOutdated?, .sequenceUsedUp?: PageButton(tr("Take Out…"), .ask(.leave))
        case .grantsPending?, .adaptersPending?: PageButton(tr("Apps"), .show(.apps))
        default: nil
        }
    }
}
