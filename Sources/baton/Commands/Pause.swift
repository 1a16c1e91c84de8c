// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pause Baton: it advertises nothing, shows nothing and continues nothing by itself.",
        discussion: """
            Without a duration, the pause lasts until 'baton resume' or the daemon's end. For 30 s, Baton still \
            announces that its offer has ended, so that no other laptop keeps showing it.
            """)

    @Argument(
        help: ArgumentHelp("How long: 90 (seconds), 30m, 1h30m or 2d; at most a week.", valueName: "duration"),
        transform: PauseDuration.init(parsing:))
    var duration: PauseDuration?

    func run() async throws {
        try await Daemon.connected { try await $0.bus.pause(for: duration?.duration) }
        let until = duration.map { "for \($0.text)" } ?? "until 'baton resume'"
        try Output.standard.line("paused \(until)")
    }
}

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End a pause.")

    func run() async throws {
        let wasPaused = try await Daemon.connected { connection in
            let wasPaused = try await connection.bus.status().isPaused
            try await connection.bus.resume()
            return wasPaused
        }
        try Output.standard.line(wasPaused ? "the pause is over" : "there was no pause")
    }
}

/// A time of up to a week, as numbers of days, hours, minutes and seconds in this order. A number
/// without a unit means seconds.
struct PauseDuration {
    /// The time as printed, without units that are zero.
    let text: String
    let duration: Duration

    private static let longest = 7 * 86_400
    private typealias Unit = (name: Character, seconds: Int)
    private static let units: [Unit] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]

    /// Parses a duration such as `1h30m`.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    init(parsing argument: String) throws {
        guard let parts = Self.parts(argument), case let total = parts.reduce(0, { $0 + $1.count * $1.unit.seconds }),
            (1...Self.longest).contains(total)
        else { throw ValidationError("give a duration such as 90, 90s, 30m, 1h30m or 2d, to a week (7d)") }
        text = parts.filter { $0.count > 0 }.map { "\($0.count)\($0.unit.name)" }.joined()
        duration = .seconds(total)
    }

    /// Returns the numbers of a duration, each with its unit.
    private static func parts(_ text: String) -> [(count: Int, unit: Unit)]? {
        var rest = text.allSatisfy(\.isWholeNumber) ? (text + "s")[...] : text[...]
        var parts: [(count: Int, unit: Unit)] = []
        for unit in units {
            guard let end = rest.firstIndex(of: unit.name) else { continue }
            guard rest[..<end].allSatisfy(\.isWholeNumber), let count = Int(rest[..<end]), (0...longest).contains(count)
            else { return nil }
            parts.append((count, unit))
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty ? parts : nil
    }
}
