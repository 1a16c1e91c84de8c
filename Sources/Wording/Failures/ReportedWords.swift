// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about what the system and other programs report.
    var reportedWords: Words? {
        switch self {
        // Translators: The system's own sentence, such as "Permission denied".
        case .systemError: Words(mark("{errno}."), mark("Try again."))
        // Translators: Another program's text, in its language.
        case .textReported: Words(mark("The message is \"{message}\"."), mark("Try again."))
        case .programReports: Words(mark("{program} reports: \"{message}\"."), mark("Try again."))
        case .programSilent: Words(mark("{program} did not answer in time."), mark("Try again."))
        case .programAbsent: Words(mark("{program} is not running."), mark("Start it, and try again."))
        case .programDenies: Words(mark("{program} does not allow this."), mark("Ask your administrator."))
        case .programUnable: Words(mark("{program} cannot do this."), mark("Install a newer version of it."))
        case .programBusy: Words(mark("{program} is busy."), mark("Wait a moment, and try again."))
        case .addressSilent:
            Words(mark("{program} does not answer at its address."), mark("Log out, and log in again."))
        case .serviceEnded:
            Words(mark("The program ended while it was starting."), mark("Start it yourself to see why."))
        case .serviceUnrunnable: Words(mark("The program cannot be run."), mark("Install the app again."))
        case .serviceUndescribed:
            Words(
                mark("The file that says how to start the program is missing or damaged."),
                mark("Install the app again."))
        case .serviceMasked: Words(mark("The program is turned off in systemd."), mark("Turn it on again."))
        case .serviceLate: Words(mark("The program took too long to start."), mark("Try again."))
        case .memoryFull:
            Words(mark("There was not enough memory."), mark("Close other programs, and try again."))
        default: nil
        }
    }
}
