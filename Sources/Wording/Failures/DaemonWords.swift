// SPDX-License-Identifier: Apache-2.0

import Diagnosis

extension FailureCode {
    /// The words about the daemon and the session bus.
    var daemonWords: Words? {
        switch self {
        case .batonStopped:
            Words(
                mark("Baton is not running."), terminal: mark("Run \"systemctl --user start batond\"."),
                window: mark("Log out, and log in again."))
        case .batonNotStarted:
            Words(
                mark("Baton could not be started ({reason})."),
                terminal: mark("Run \"journalctl --user -u batond\" to see why."),
                window: mark("Log out, and log in again."))
        case .busGone:
            Words(mark("The session bus has gone."), mark("Log in again."))
        case .noBus:
            Words(
                mark("There is no session bus ({reason})."),
                terminal: mark("Run this in a desktop session, or set DBUS_SESSION_BUS_ADDRESS."),
                window: mark("Log out, and log in again."))
        case .noAnswer:
            Words(
                mark("Baton ended, or did not answer in time."), terminal: mark("Run \"baton doctor\", and try again."),
                window: mark("Try again."))
        case .tooManyCalls:
            Words(mark("A program asks Baton too much at once."), mark("Wait a second, and try again."))
        case .tooManyActivities:
            Words(mark("A program offers too much at once."), mark("Close some of what it offers."))
        case .activitiesTooLarge:
            Words(mark("The programs offer too much data at once."), mark("Close some of it."))
        case .unsupported:
            Words(
                mark("This version of Baton cannot do that."), mark("Install the same version of all parts of Baton."))
        case .sandboxedCaller:
            Words(
                mark("A program in a sandbox may not do this."), terminal: mark("Use \"baton\" in a terminal."),
                window: mark("Use Baton's window."))
        case .tooManyFollowers:
            Words(mark("Too many programs watch Baton already."), mark("Close one of them."))
        case .daemonRunning:
            Words(mark("Another Baton already serves this session (process {process})."), mark("Stop it first."))
        case .connectionClosed:
            Words(mark("The connection to the session bus has ended."), mark("Log out, and log in again."))
        case .busFailed:
            Words(mark("The session bus, or a program on it, reports an error ({reason})."), mark("Try again."))
        case .unexpected:
            Words(
                mark("Something failed ({reason})."),
                terminal: mark("Try again. If that does not help, run \"baton doctor\"."), window: mark("Try again."))
        case .reportUnwritten:
            Words(mark("{file} could not be written ({reason})."), mark("Choose another place."))
        case .tooManyTraces:
            Words(mark("{count} traces are being recorded already."), mark("End one of them first."))
        default: nil
        }
    }
}
