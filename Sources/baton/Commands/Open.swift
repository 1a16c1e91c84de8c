// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus
import Glibc

/// `baton open`
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Have the right app carry on with an activity that another device offers.",
        discussion:
            "The app is started when it does not run. Where no app here continues the activity, its web page opens in the browser."
    )

    @OptionGroup var choice: OfferOptions

    @Option(help: ArgumentHelp("Another app than the one that Baton would choose.", valueName: "id"))
    var app: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Say on standard error how far it has come. (default: on a terminal only)")
    var progress: Bool?

    func run() async throws {
        let command = self
        try await Termination.cancels { try await Daemon.connected { try await command.run(on: $0) } }
    }

    private func run(on connection: BatonConnection) async throws {
        let found = try await choice.find(on: connection)
        let steps = try await connection.bus.offerProgress()
        let isTold = progress ?? Terminal(STDERR_FILENO).isTerminal
        let telling = Task {
            for await step in steps where step.offer == found.offer {
                if isTold, let line = Self.line(step, from: found.deviceName) { Output.error.line(line) }
                if step.phase == .done || step.phase == .failed { break }
            }
        }
        defer { telling.cancel() }
        let opened = try await connection.bus.openOffer(found.offer, options: OpenOptions(application: app))
        // It is told before the answer, which a daemon of an older version gives all alone.
        if isTold { await Self.first(of: telling, .seconds(1)) }
        switch opened {
        case .application(let identifier): Output.standard.line("continued in \(identifier)")
        case .webpage(let address): Output.standard.line("opened in the browser: \(address)")
        }
    }

    /// What a step means; nil for those that are told in another way.
    static func line(_ step: OfferProgress, from device: String) -> String? {
        let app = if case .application(let identifier) = step.opened { identifier } else { "the browser" }
        return switch step.phase {
        case .fetching: "asking \(device) for the activity…"
        case .starting: "the activity is here; waiting for \(app)…"
        case .delivering: "\(app) is opening it…"
        default: nil
        }
    }

    /// Waits for a task, but not for long.
    private static func first(of task: Task<Void, Never>, _ limit: Duration) async {
        let clock = Task {
            try? await Task.sleep(for: limit)
            task.cancel()
        }
        await task.value
        clock.cancel()
    }
}
