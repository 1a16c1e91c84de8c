// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// Finds a terminal for programs that need one.
enum Terminal {
    /// The known terminals: a program and its arguments before the command. The desktop's own comes
    /// before Debian's alternative.
    private static let known = [["xdg-terminal-exec"], ["x-terminal-emulator", "-e"]]

    /// Returns the command line that runs a program in a terminal of this laptop.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - isThere: Returns whether a program with this name is installed.
    /// - Returns: The terminal's command line, followed by the given arguments.
    /// - Throws: ``BatonError`` with `applicationFailed` if there is no terminal.
    static func running(
        _ arguments: [String], isThere: (String) async -> Bool
    ) async throws -> [String] {
        for terminal in known where await isThere(terminal[0]) { return terminal + arguments }
        throw BatonError(.applicationFailed, .noTerminal)
    }
}
