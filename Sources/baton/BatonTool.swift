// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Diagnosis
import FoundationEssentials
import Glibc
import Wording

/// `baton`: the command-line tool. The tool talks only to the daemon, over the session bus.
@main
struct BatonTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baton",
        abstract: "Start something on one laptop, and carry on with it on another.",
        discussion:
            "Without a command, it shows an overview of this laptop.\n\nThe exit status is 0 if the command has succeeded. Otherwise it is one of these:\n\n\(ExitStatus.table)",
        version: BatonVersion.current,
        subcommands: [
            Status.self, Circle.self, Publish.self, Nearby.self, Continue.self, Open.self, Serve.self, Rules.self,
            Grants.self, Domains.self, Adapters.self, Apps.self, Here.self, Shell.self, Pause.self,
            Resume.self, Devices.self, Ping.self, History.self, Doctor.self, Trace.self,
            Lan.self, Pair.self, Rename.self, Stop.self, Remove.self, Leave.self,
        ])

    /// Shows the state and the next steps, for `baton` without a command.
    func run() async throws {
        let overview = try await Daemon.connected { connection in
            Overview(
                status: try await connection.bus.status(),
                offers: try await connection.bus.offers().sorted { $0.offer < $1.offer }, now: Date())
        }
        for line in overview.lines { try Output.standard.line(line) }
    }

    /// Runs the command. A failure prints one line to standard error and exits with one of the
    /// statuses in ``ExitStatus``.
    static func main() async {
        SessionLanguage.use()
        StandardDescriptors.reserve()
        // A write to a closed pipe must fail instead of killing the process, so that the command
        // can clean up.
        signal(SIGPIPE, SIG_IGN)
        let words = CommandWords(Array(CommandLine.arguments.dropFirst()), of: Self.self)
        do {
            try CommandWords.checkEncoding()
            try words.check()
            var command = try await asyncParseAsRoot(words.parsed)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch  where exitCode(for: error).isSuccess {
            do {
                try Output.standard.lines(fullMessage(for: error))
            } catch {
                fail(error, words)
            }
        } catch let status as ExitCode {
            // The command has already printed everything.
            Glibc.exit(status.rawValue)
        } catch {
            fail(error, words)
        }
    }

    private static func fail(_ error: any Error, _ words: CommandWords) -> Never {
        if (error as? OutputFailure)?.readerHasGone == true {
            // Like other programs, end with SIGPIPE when nobody reads the output any more.
            signal(SIGPIPE, SIG_DFL)
            raise(SIGPIPE)
        }
        // A shell asks for completions while its user types, so a message would appear in the line
        // being typed.
        if CommandLine.arguments.dropFirst().first == "---completion" { Glibc.exit(ExitStatus.usage.rawValue) }
        let isUsage = exitCode(for: error) == .validationFailure
        var text = ToolFailure.oneLine(error, message: Suggestion.sensible(in: message(for: error)))
        if isUsage, text.hasSuffix(".") { text.removeLast() }
        Output.note("baton: \(text + (isUsage ? words.hint(after: text) : ""))")
        Glibc.exit(ExitStatus(of: error)?.rawValue ?? exitCode(for: error).rawValue)
    }
}
