// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    var appsWords: Words? {
        switch self {
        case .noApp:
            Words(
                mark("No app on this laptop can continue this ({type})."),
                terminal: mark("Install such an app, or run \"baton continue\" to see the contents."),
                window: mark("Install such an app."))
        case .noAppOfTeam:
            Words(
                mark("{app} could continue this, but it belongs to another team than the app that offers it."),
                mark("Install an app of the same maker."))
        case .appUnfit:
            Words(mark("{app} cannot continue this."), mark("Choose another app."))
        case .appSandboxed:
            Words(
                mark("{app} runs in a sandbox, and may not have this yet."),
                terminal: mark("To allow it, run \"baton grants allow {app}\"."),
                window: mark("Allow it in Baton's notification, and try again."))
        case .appGone:
            Words(mark("{app} is not installed any more."), mark("Install it again, or choose another app."))
        case .appNotTaken:
            Words(mark("{app} did not continue it."), mark("Try again, or choose another app."))
        case .takenByNone:
            Words(mark("The app did not continue it."), mark("Try again, or choose another app."))
        case .appEnded:
            Words(mark("{app} ended before it continued this."), mark("Try again."))
        case .appSilent:
            Words(mark("{app} did not answer in time."), mark("Try again, or start the app again."))
        case .appWithoutInterface:
            Words(
                mark("{app} is running, but cannot receive anything from Baton."),
                mark("Report this to the maker of the app."))
        case .appWithoutCommand:
            Words(
                mark("{app} could not be started, because its desktop entry has no command."),
                mark("Install the app again."))
        case .appWithoutService:
            Words(mark("{app} could not be started, because it has no D-Bus service."), mark("Install the app again."))
        case .appEndedAtOnce:
            Words(mark("{app} ended as soon as it was started."), mark("Start it yourself to see why."))
        case .appEndedEarly:
            Words(
                mark("{app} ended before Baton could reach it."),
                terminal: mark("Run \"journalctl --user -u '{unit}'\" to see why."),
                window: mark("Start it yourself to see why."))
        case .appCrashed:
            Words(
                mark("{app} could not be started ({reason})."),
                terminal: mark("Run \"journalctl --user -u '{unit}'\" to see why."),
                window: mark("Start it yourself to see why."))
        case .programExited: Words(mark("{program} ended with status {status}."), mark("Start it yourself to see why."))
        case .programKilled: Words(mark("{program} was ended by signal {signal}."), mark("Try again."))
        case .programFailed:
            Words(
                mark("{program} failed. systemd reports: \"{result}\"."), mark("Start it yourself to see why."))
        case .appLate:
            Words(
                mark("{app} was started, but Baton could not reach it in time."),
                mark("Try again. If that does not help, report this to the maker of the app."))
        case .programMissing:
            Words(
                mark("{app} could not be started, because the program {program} is missing."),
                mark("Install the app again."))
        case .programUnexecutable:
            Words(
                mark("{app} could not be started, because the program {program} cannot be run."),
                mark("Install the app again."))
        case .noTerminal:
            Words(
                mark("{app} could not be started, because there is no terminal program."),
                mark("Install the package xdg-terminal-exec, or another terminal."))
        case .appFailed:
            Words(
                mark("{app} did not continue it. It says: \"{message}\"."), mark("Try again, or choose another app."))
        case .appRunning:
            Words(mark("Another program already runs as {app} in this session."), mark("Close that program first."))
        case .offerUnallowed:
            Words(
                mark("An app in a sandbox may continue only its own activities, and those that you have allowed."),
                terminal: mark("Answer the notification that asks, or run \"baton grants\" to see what it asks for."),
                window: mark("Answer the notification that asks."))
        default: nil
        }
    }
}
