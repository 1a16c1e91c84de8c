// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import ArgumentParser
import BatonBus
import BatonTransport
import DesktopEntries
import Diagnosis
import Glibc
import Logging
import Wording

/// The daemon's command line.
@main
struct Batond: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batond",
        abstract: "Hands activities over between this laptop and the others of your circle.",
        discussion: "One daemon runs for each user. 'baton' talks to it on the session bus.",
        version: BatonVersion.current)

    @Option(help: "The radio to advertise and scan with.")
    var radio = RadioChoice.auto

    @Option(help: ArgumentHelp("The Bluetooth adapter to use. Without it, all adapters are used.", valueName: "hciN"))
    var adapter: String?

    @Option(
        help: ArgumentHelp(
            "The directory that daemons on one simulated radio share. It must be your own, and is made if it is missing.",
            valueName: "DIR"), completion: .directory)
    var radioDirectory: String?

    @Option(
        help: ArgumentHelp(
            "The directory for keys, the circle and all other lasting state. It must be your own and closed to all others, and is made if it is missing.",
            valueName: "DIR"), completion: .directory)
    var stateDirectory: String?

    @Option(help: "Whether to use TCP in addition to the radio.")
    var tcp = Switch.on

    @Option(
        help: ArgumentHelp("The program that asks domains about apps, instead of Baton's own.", valueName: "FILE"),
        completion: .file())
    var domainFetcher: String?

    @Option(help: "The least important messages to log: trace, debug, info, notice, warning or error.")
    var logLevel = LogLevel.notice

    /// Runs the daemon. A wrong argument is reported in one line, in which invisible characters are
    /// escaped.
    static func main() async {
        SessionLanguage.use()
        // Refuse arguments that are not UTF-8. Swift would repair them and read another directory.
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            tell("argument \(index) is not UTF-8; give it as text in that encoding; see: batond --help")
            exit(withError: ExitCode.validationFailure)
        }
        if let flaw = BaseDirectories.flaw {
            tell(flaw)
            exit(withError: ExitCode.failure)
        }
        do {
            var daemon = try parseAsRoot()
            if var daemon = daemon as? any AsyncParsableCommand { try await daemon.run() } else { try daemon.run() }
        } catch  where exitCode(for: error) == .validationFailure {
            let text = Suggestion.sensible(in: oneLine(message(for: error)))
            tell("\(text.hasSuffix(".") ? text.dropLast() : text[...]); see: batond --help")
            exit(withError: ExitCode.validationFailure)
        } catch  where exitCode(for: error).isSuccess {
            guard write(fullMessage(for: error) + "\n", to: STDOUT_FILENO) else {
                tell("cannot write to standard output: \(SystemMessage.text(errno, in: .english))")
                exit(withError: ExitCode(EX_IOERR))
            }
        } catch {
            exit(withError: error)
        }
    }

    /// Joins the lines of a message. The parser lists the values of an option in lines of their
    /// own.
    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.hasPrefix("  - ") ? $0.dropFirst(4) : $0 }
            .joined(separator: " ")
    }

    /// Writes one line for people to standard error.
    private static func tell(_ text: String) {
        _ = write(VisibleText.escaped("batond: \(text)") + "\n", to: STDERR_FILENO)
    }

    /// Writes all of a text. Returns false with the reason in `errno` if that fails.
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(count, 0))
        }
        return true
    }

    func validate() throws {
        let places = [
            ("--adapter", adapter, "an adapter's name, such as hci0"),
            ("--radio-directory", radioDirectory, "a directory"), ("--state-directory", stateDirectory, "a directory"),
            ("--domain-fetcher", domainFetcher, "a program"),
        ]
        for (name, value, wanted) in places where value?.isEmpty == true {
            throw ValidationError("\(name) is empty; give \(wanted), or leave it out")
        }
        if let domainFetcher, !domainFetcher.hasPrefix("/") || access(domainFetcher, X_OK) != 0 {
            throw ValidationError("--domain-fetcher names no program; give the whole path of one")
        }
        if [radioDirectory, stateDirectory].contains(where: { $0?.hasPrefix("/") == false }),
            !Directories.isHereReadable
        {
            throw ValidationError("the current directory is not UTF-8; give the whole path of a directory")
        }
        if radio == .simulated, adapter != nil {
            throw ValidationError("--adapter is for Bluetooth; leave it out with --radio simulated")
        }
    }

    func run() async throws {
        Crashes.leaveNothing()
        guard DescriptorLimit.raise() else {
            Self.tell(
                "fewer than \(DescriptorLimit.least) file descriptors are too few; raise the limit: ulimit -n 1024")
            throw ExitCode.failure
        }
        Allocator.givesBack()
        let limiter = LineLimiter(clock: SystemClock())
        LoggingSystem.bootstrap { LimitingLogHandler(EscapingLogHandler.standardError(label: $0), limiter) }
        do {
            try await Daemon(self).run()
        } catch {
            // Write one line that says what to do. The parser's usage text would not help.
            Self.tell("\(error)")
            throw ExitCode.failure
        }
    }
}

/// `--radio`
enum RadioChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, bluez, simulated
}

/// `--tcp`
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

/// `--log-level`
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}
