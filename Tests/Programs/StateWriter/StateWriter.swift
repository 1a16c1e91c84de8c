// SPDX-License-Identifier: Apache-2.0

import BatonService
import Glibc

/// `state-writer DIRECTORY LETTER COUNT STEP`: writes COUNT letters as a state file, as the daemon
/// does, and kills itself after STEP. With the STEP `-` it completes the write. With `forever` it
/// writes further states with the next letters, and prints `written` after each state.
@main
struct StateWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let letter = arguments[2].utf8.first, let count = Int(arguments[3]) else {
            throw Wrong()
        }
        let step = arguments[4]
        let file = try StateFile(directory: arguments[1]) { if $0 == step { kill(getpid(), SIGKILL) } }
        try file.write([UInt8](repeating: letter, count: count))
        guard step == "forever" else { return }
        for round in 0... {
            // Write at once, because a killed process loses its buffers.
            _ = Glibc.write(STDOUT_FILENO, "written\n", 8)
            try file.write([UInt8](repeating: UInt8(ascii: "a") + UInt8(round % 26), count: count))
        }
    }

    private struct Wrong: Error {}
}
