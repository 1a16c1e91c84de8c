// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// `baton`: the developer's tool, which talks to the daemon on the session bus and nowhere else.
@main
struct BatonTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton",
        abstract: "Start something on one laptop, and carry on with it on another.",
        subcommands: [
            Status.self, Circle.self, Publish.self, Nearby.self, Continue.self, Open.self, Rules.self, Grants.self,
            Pause.self,
            Resume.self, Devices.self,
            Pair.self, Rename.self, Remove.self, Leave.self,
        ])

    /// Runs the command; a failure is one line on standard error, and a status other than 0.
    static func main() async {
        // A reader that has gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            if code.isSuccess {
                Output.standard.lines(fullMessage(for: error))
            } else {
                Output.error.line("baton: " + ToolFailure.oneLine(error, message: message(for: error)))
            }
            Glibc.exit(code.rawValue)
        }
    }
}
