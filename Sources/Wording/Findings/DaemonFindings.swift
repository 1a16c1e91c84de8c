// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FindingCode {
    /// The words about the daemon, and about checks that failed.
    var daemonWords: [Words]? {
        switch self {
        case .noSessionBus:
            [
                Words(
                    mark("This session has no session bus ({reason})."), terminal: mark("Log in to a desktop session."),
                    window: mark("Log out, and log in again."))
            ]
        case .daemonStopped:
            [
                Words(mark("Baton is not running ({reason})."), window: mark("Log out, and log in again.")),
                Words(mark("Baton is not running."), window: mark("Log out, and log in again.")),
            ]
        case .daemonSilent:
            [
                Words(mark("Baton does not answer ({reason})."), window: mark("Log out, and log in again.")),
                Words(mark("Baton runs, but does not answer."), window: mark("Log out, and log in again.")),
            ]
        case .daemonRestarted:
            [
                Words(
                    counted(
                        "Baton crashed or hung {count} time, and was started again.",
                        "Baton crashed or hung {count} times, and was started again.", by: "count"),
                    terminal: mark("Report it, with the output of \"{command}\"."), window: mark("Report it."))
            ]
        case .daemonNotEnabled:
            [
                Words(
                    mark("Baton does not start with the session, so offers come only after an app has asked for them."),
                    window: mark("Ask your administrator to start Baton with each session."))
            ]
        case .versionDiffers:
            [
                Words(
                    mark("Baton {running} is running, and {installed} is installed."),
                    window: mark("Log out, and log in again."))
            ]
        case .keysUnusable:
            [
                Words(
                    mark("The keys of this laptop are not safe ({unsafe})."),
                    terminal: mark(
                        "If you are sure that nobody has read them, run \"{command}\", then start batond again."),
                    window: mark("If you are sure that nobody has read them, remove the permissions of other users.")),
                Words(
                    mark("The keys of this laptop cannot be used ({reason})."),
                    terminal: mark(
                        "Restore them from a backup, then start batond again. Without them, pair this laptop again."),
                    window: mark("Restore them from a backup. Without them, pair this laptop again.")),
            ]
        case .stateUnwritable:
            [
                Words(
                    mark("Baton cannot write {path}, so nothing changes here ({reason})."),
                    mark("Free some disk space, and check the permissions.")),
                Words(
                    mark("Baton cannot save its data, so nothing changes here ({reason})."),
                    mark("Free some disk space, and check the permissions.")),
            ]
        case .advertisingWaits:
            [
                Words(
                    mark("Nothing new is offered, because Baton cannot save its data."),
                    mark("Free some disk space, and check the permissions."))
            ]
        case .fileDamaged: damagedFiles
        case .checkFailed:
            [
                Words(mark("The check \"{check}\" failed ({reason})."), mark("Try again.")),
                Words(
                    mark("\"{laptop}\" could not be asked what it hears and reaches ({reason})."),
                    mark("Install the same version of Baton on both laptops.")),
            ]
        case .checkHung: [Words(mark("The check \"{check}\" took too long."), mark("Try again."))]
        case .warning:
            [
                Words(
                    mark("Baton reports a problem that this version does not know."),
                    mark("Install the same version of all parts of Baton."))
            ]
        default: nil
        }
    }

    private var damagedFiles: [Words] {
        let advice = mark("Look at the file, then remove it.")
        return [
            Words(
                mark("The list of what sandboxed apps may do was damaged, and is empty now. It is in {grants}."), advice
            ),
            Words(mark("The list of allowed adapters was damaged, and is empty now. It is in {adapters}."), advice),
            Words(
                mark(
                    "The activities that apps saved for searches were damaged, and are gone. The damaged file is {saved}."
                ), advice),
        ]
    }
}
