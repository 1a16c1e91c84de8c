// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// The page that is shown while the daemon does not answer.
struct UnreachablePage {
    let daemon: WindowModel.Daemon

    var page: Page {
        switch daemon {
        case .connecting, .there:
            Page(title: tr("Baton"), header: .busy(heading: tr("Baton is starting"), text: ""))
        case .unreachable(let error) where ![.daemonNotRunning, .busUnavailable].contains(error.code):
            Page(
                title: tr("Baton"),
                header: .status(
                    icon: "dialog-error-symbolic", heading: tr("Baton does not answer"),
                    text: tr(
                        "Another version of Baton may be running. If trying again does not help, log out and in again."
                    )),
                buttons: [PageButton(tr("Try Again"), .request(.start), style: .suggested)])
        case .gone, .unreachable:
            Page(
                title: tr("Baton"),
                header: .status(
                    icon: "dialog-error-symbolic", heading: tr("Baton is not running"),
                    text: tr("If it does not start, log out and in again, or install Baton again.")),
                buttons: [PageButton(tr("Start Baton"), .request(.start), style: .suggested)])
        }
    }
}
