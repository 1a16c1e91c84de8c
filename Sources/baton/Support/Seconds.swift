// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A time in seconds from the command line, with an optional fraction.
struct Seconds: Sendable {
    /// The longest allowed time: a day.
    static let maximum = 86_400.0

    let duration: Duration
    let text: String

    /// Parses `0` to `86400`.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    init(parsing argument: String) throws {
        // `Double` also parses texts that are not decimal numbers, such as 0x10 and nan.
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
