// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import DesktopEntries
import Glibc

struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let the right app continue an activity that another device offers.",
        discussion:
            "Baton starts the app if it is not running. If no app here continues the activity, the browser opens its web page."
    )

    @OptionGroup var choice: OfferOptions

    @Option(
        help: ArgumentHelp("The app to use instead of the one that Baton would choose.", valueName: "id"),
        completion: .app)
    var app: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Report progress on standard error, or do not. (default: on a terminal only)")
    var progress: Bool?

    func validate() throws {
        if app?.isEmpty == true { throw ValidationError("--app is empty; give the name of a desktop entry") }
    }

    func run() async throws {
        let command = self
        try await Termination.cancels { try await Daemon.connected { try await command.run(on: $0) } }
    }

    private func run(on connection: DaemonConnection) async throws {
        switch try await choice.withOffer(on: connection, { try await open($0, on: connection) }) {
        case .application(let identifier):
            let name = Self.name(ofApp: identifier)
            try Output.standard.line("continued in \(name)\(name == identifier ? "" : " (\(identifier))")")
        case .webpage(let address): try Output.standard.line("opened in the browser: \(address)")
        }
    }

    private func open(_ found: OfferSummary, on connection: DaemonConnection) async throws -> OpenedOffer {
        let steps = try await connection.bus.offerProgress()
        let isTold = progress ?? Terminal(STDERR_FILENO).isTerminal
        let telling = Task {
            for await step in steps where step.offer == found.offer {
                if isTold, let line = Self.line(step, from: found.deviceName) { Output.note(line) }
                if step.phase == .done || step.phase == .failed { break }
            }
        }
        defer { telling.cancel() }
        let opened = try await openedOffer(found.offer, on: connection)
        // Wait for the last step, but not for long: a daemon of an older version reports no steps.
        if isTold { await Self.first(of: telling, .seconds(1)) }
        return opened
    }

    private func openedOffer(_ offer: String, on connection: DaemonConnection) async throws -> OpenedOffer {
        do {
            return try await connection.bus.openOffer(offer, options: OpenOptions(application: app))
        } catch let error as BatonError where error.code == .applicationFailed {
            guard let app, DesktopEntryIndex.entry(app) == nil else { throw error }
            throw ToolFailure(
                "no app \(app) is installed here; without --app, baton open takes the right one", status: .unknown)
        }
    }

    /// Returns an app's name from its desktop entry, or its id if there is no entry.
    private static func name(ofApp identifier: String) -> String {
        DesktopEntryIndex.entry(identifier)?.name ?? identifier
    }

    /// Returns the message for a step, or `nil` for the last step, which the command reports in
    /// another way.
    static func line(_ step: OfferProgress, from device: String) -> String? {
        let app =
            if case .application(let identifier) = step.opened {
                name(ofApp: identifier)
            } else { "the browser" }
        return switch step.phase {
        case .fetching: "asking \(device) for the activity…"
        case .starting: "the activity is here; waiting for \(app)…"
        case .delivering: "\(app) is opening it…"
        default: nil
        }
    }

    /// Waits for a task until a time limit, then cancels it.
    private static func first(of task: Task<Void, Never>, _ limit: Duration) async {
        let clock = Task {
            try? await Task.sleep(for: limit)
            task.cancel()
        }
        await task.value
        clock.cancel()
    }
}
