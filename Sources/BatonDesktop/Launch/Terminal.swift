// SPDX-License-Identifier: Apache-2.0

import BatonBus

/// What runs a program that needs a terminal.
enum Terminal {
    /// The terminals that are known, the desktop's own before Debian's alternative: a program, and
    /// its words before the command.
    private static let known = [["xdg-terminal-exec"], ["x-terminal-emulator", "-e"]]

    /// The words that run a program in a terminal of this laptop.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - isThere: Whether there is a program with this name.
    /// - Returns: A terminal, and the words that were given after it.
    /// - Throws: ``BatonError`` with `applicationFailed` where there is no terminal.
    static func running(
        _ arguments: [String], isThere: (String) async -> Bool
    ) async throws -> [String] {
        for terminal in known where await isThere(terminal[0]) { return terminal + arguments }
        throw BatonError(
            .applicationFailed, "there is no terminal here; install xdg-terminal-exec, or any x-terminal-emulator")
    }
}
