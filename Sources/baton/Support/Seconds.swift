// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A time that a person gives in seconds, with a fraction if need be.
struct Seconds: Sendable {
    /// The longest time that is taken: a day.
    static let maximum = 86_400.0

    let duration: Duration
    /// The time as it was given.
    let text: String

    /// Reads `0` to `86400`.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    init(parsing argument: String) throws {
        // `Double` also reads what nobody calls seconds: 0x10, nan.
        guard argument.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let seconds = Double(argument),
            (0...Self.maximum).contains(seconds)
        else {
            throw ValidationError("give seconds from 0 to \(Int(Self.maximum)), such as 20 or 0.5")
        }
        duration = .seconds(seconds)
        text = argument
    }

    init(_ seconds: Int) {
        duration = .seconds(seconds)
        text = String(seconds)
    }
}
