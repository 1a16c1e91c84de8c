// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A time that a person gives in seconds, with a fraction if need be.
struct Seconds: ExpressibleByArgument, Sendable {
    /// The longest time that is taken: a day.
    static let maximum = 86_400.0

    let duration: Duration
    /// The time as it was given.
    let defaultValueDescription: String

    /// Reads `0` to `86400`; nil for anything else.
    init?(argument: String) {
        guard let seconds = Double(argument), (0...Self.maximum).contains(seconds) else { return nil }
        duration = .seconds(seconds)
        defaultValueDescription = argument
    }

    init(_ seconds: Int) {
        duration = .seconds(seconds)
        defaultValueDescription = String(seconds)
    }
}
