// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import DesktopEntries
import FoundationEssentials
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be an app: run a command for each activity that Baton hands to it.",
        discussion: """
            The command gets the activity on its standard input, as one line of the JSON that continue --json \
            prints. If it ends with status 0, or has run for 5 seconds, it has taken the activity over. If it \
            ends with another status, the activity stays on the other device. An activity also counts as taken \
            over 55 seconds after Baton's request, even if its stream is still arriving.

            Failures are reported on standard error. If the activity was not taken over, Baton also shows a \
            notification. At most 16 commands run at once, and 16 more wait for up to 50 seconds. SIGINT, \
            SIGTERM and SIGHUP end this command, and also the commands that still run, with their process \
            groups.
            """)

    @Option(
        help: ArgumentHelp(
            "The app's id: the name of its desktop entry without .desktop, and its name on the session bus.",
            valueName: "id"), completion: .app)
    var app: String

    @Option(help: ArgumentHelp("The command to run, with sh.", valueName: "command"))
    var exec: String

    @Flag(
        help:
            "Receive the activity's stream before the command runs. BATON_STREAM names the complete file, which is deleted when the command ends. The limit is an hour, and 1 GiB for all commands together."
    )
    var receive = false

    func validate() throws {
        if exec.isEmpty { throw ValidationError("--exec is empty; give a command of sh") }
    }

    func run() async throws {
        let (app, runner, receive) = (app, CommandRunner(ShellCommand(text: exec)), receive)
        let signals = await Termination.signals
        try await Daemon.connected { connection in
            let presence = try await connection.bus.daemonPresence()
            let service = try await Self.serve(
                app, by: ServedCommand(runner, connection: connection, receives: receive), on: connection)
            Output.note("serving \(app)")
            if let doubt = Self.doubt(app, .installed) { Output.warn(doubt) }
            // Ask the daemon in a task of its own, because the daemon perhaps does not answer.
            let warning = Task {
                if let obstacle = await Self.obstacle(connection.bus) { Output.warn(obstacle) }
            }
            let ended = await Self.end(signals, presence)
            warning.cancel()
            await service.stop()
            await runner.end()
            try ended.get()
        }
    }

    /// Returns why Baton hands nothing to an app and what to do, or `nil` if Baton hands it
    /// activities.
    static func doubt(_ app: String, _ installed: DesktopEntryIndex) -> String? {
        let entry = installed.entries[app]
        guard entry?.continuableTypes.isEmpty ?? true, entry?.associatedDomains.isEmpty ?? true else { return nil }
        let reason = entry == nil ? "there is no \(app).desktop" : "\(app).desktop names no activity type"
        let place = entry == nil ? " in \(DesktopEntryIndex.directories[0].path)" : ""
        return "\(reason), so Baton hands nothing to this app; "
            + "write X-Baton-ActivityTypes=TYPE; into it\(place) (Documentation/DesktopEntries.md)"
    }

    /// Returns why no other device can hand anything over yet, or `nil` if no reason is known.
    ///
    /// The possible reasons are that no daemon runs and none can be started, that there is no
    /// circle, or that the keys cannot be used.
    private static func obstacle(_ daemon: BatonBusClient) async -> String? {
        do {
            let status = try await daemon.status()
            guard status.circle == nil else { return nil }
            return "\(Daemon.noCircle(status)); until then no other device hands anything to this app"
        } catch let error as BatonError where error.code == .daemonNotRunning {
            return "\(error.description); nothing is handed to this app before it runs"
        } catch {
            return nil
        }
    }

    private static func serve(
        _ app: String, by command: ServedCommand, on connection: DaemonConnection
    ) async throws -> ApplicationBusService {
        do {
            return try await ApplicationBusService.start(on: connection.bus, identifier: app, handler: command)
        } catch let error as BatonError where error.code == .invalidArgument {
            throw ToolFailure("--app takes an app's id, such as org.example.Notes, not '\(app)'", status: .usage)
        }
    }

    /// Waits for a signal, or for the end of the session bus.
    private static func end(
        _ signals: UnixSignalsSequence, _ presence: AsyncStream<Bool>
    ) async -> Result<Void, ToolFailure> {
        await withTaskGroup(of: Result<Void, ToolFailure>.self) { group in
            group.addTask {
                for await _ in signals { break }
                return .success(())
            }
            group.addTask {
                for await _ in presence {}
                return .failure(ToolFailure("the session bus has ended", status: .noDaemon))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .success(())
        }
    }
}
