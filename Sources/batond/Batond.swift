// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Foundation
import Logging
import UserActivity

/// The daemon's command line.
@main
struct Batond: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batond",
        abstract: "Hands activities over between this laptop and the others of your circle.",
        discussion: "It serves the session bus; 'baton' talks to it there. One runs for each user.")

    @Option(help: "What to advertise and scan with.")
    var radio = RadioChoice.auto

    @Option(help: ArgumentHelp("The Bluetooth adapter to use, instead of every one.", valueName: "hciN"))
    var adapter: String?

    @Option(
        help: ArgumentHelp(
            "Where the daemons that share a simulated radio meet: a directory of your own, made if need be.",
            valueName: "DIR"))
    var radioDirectory: String?

    @Option(help: ArgumentHelp("Where keys and circle are kept.", valueName: "DIR"))
    var stateDirectory: String?

    @Option(help: "Whether TCP is used beside the radio.")
    var tcp = Switch.on

    @Option(help: "The least important messages to log: trace, debug, info, notice, warning or error.")
    var logLevel = LogLevel.notice

    func validate() throws {
        if radio == .simulated, adapter != nil {
            throw ValidationError("--adapter is for Bluetooth; leave it out with --radio simulated")
        }
    }

    func run() async throws {
        Crashes.leaveNothing()
        Allocator.givesBack()
        LoggingSystem.bootstrap(EscapingLogHandler.standardError)
        do {
            try await Daemon(self).run()
        } catch {
            // One line that says what to do; the parser's usage would not help.
            FileHandle.standardError.write(Data((VisibleText.escaped("batond: \(error)") + "\n").utf8))
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
