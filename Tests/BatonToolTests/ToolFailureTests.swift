// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis
import Testing

@testable import baton

/// Tests the message and the exit status of a failure.
@Suite struct ToolFailureTests {
    @Test("A failure is one line that says what to do")
    func failureIsOneLine() {
        let error = BatonError(.daemonNotRunning, appMessage: "it does not\nrun")
        #expect(ToolFailure.oneLine(error, message: "") == "it does not\\u{a}run")
        let stopped = ToolFailure.oneLine(BatonError(.daemonNotRunning, .batonStopped), message: "")
        #expect(stopped == "Baton is not running. Run \"systemctl --user start batond\".")
        let parsed = ToolFailure.oneLine(CancellationError(), message: "Error: no such option\n\n  Help: baton --help ")
        #expect(parsed == "Error: no such option Help: baton --help")
    }

    @Test("A daemon that ends during a call has its own exit status")
    func daemonEndsInACall() {
        let gone = BatonError(.failed, .noAnswer, cause: "org.freedesktop.DBus.Error.NoReply")
        #expect(ExitStatus(of: gone) == .noDaemon)
        #expect(ExitStatus(of: BatonError(.failed, appMessage: "it failed")) == .failed)
    }

    @Test(
        "An error in userInfo has the exit status for bad contents, and an error in any other property that for wrong usage"
    )
    func contentsAndArguments() {
        let contents = BatonError(argument: #"userInfo["a"]"#, .argumentNaN)
        #expect(ExitStatus(of: contents) == .badContents)
        #expect(ExitStatus(of: BatonError(argument: "title", .argumentNUL)) == .usage)
    }
}
