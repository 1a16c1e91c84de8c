// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Baton
import BatonBus

/// `baton pause`
struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Advertise nothing, show nothing and continue nothing by itself for a while.",
        discussion: "Without a duration, until 'baton resume' or the daemon's end.")

    @Argument(help: ArgumentHelp("How long: 90, 90s, 30m or 8h.", valueName: "duration"))
    var duration: PauseDuration?

    func run() async throws {
        try await Daemon.connected { try await $0.bus.pause(for: duration?.duration) }
        let until = duration.map { "for \($0.text)" } ?? "until 'baton resume'"
        Output.standard.line("paused \(until)")
    }
}

/// `baton resume`
struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End a pause.")

    func run() async throws {
        try await Daemon.connected { try await $0.bus.resume() }
        Output.standard.line("not paused")
    }
}

/// A number of seconds, minutes or hours, to a week.
struct PauseDuration: ExpressibleByArgument {
    let text: String
    let duration: Duration

    static let longest = 7 * 24 * 3_600

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = Int(unit == nil ? argument : String(argument.dropLast())), number > 0,
            number <= Self.longest / (unit ?? 1)
        else { return nil }
        text = unit == nil ? "\(number)s" : argument
        duration = .seconds(number * (unit ?? 1))
    }
}
