// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Glibc

/// What a daemon sees of the machine, apart from all others, and a shell beside it that changes it.
struct Namespace {
    private let command: URL
    /// What the shell does before it becomes the daemon.
    let prelude: String

    /// - Parameters:
    ///   - unsharing: What is the daemon's own, as options of unshare(1).
    ///   - first: A command that is run there before the daemon begins.
    init(_ root: URL, unsharing: String, first: String) {
        command = root.appending(path: "command")
        // Who is not root needs a user namespace for it.
        let user = geteuid() == 0 ? "" : "--user --map-current-user --keep-caps"
        prelude = """
            export COMMAND='\(command.path)'; exec unshare \(unsharing) \(user) sh -c '
            \(first) || exit 9
            (while kill -0 $$ 2>/dev/null; do
                [ -e "$COMMAND" ] && sh "$COMMAND" && rm "$COMMAND"; sleep 0.05
            done) & exec "$@"' sh "$@"
            """
    }

    /// Has the shell run a command, and waits until that has succeeded.
    func run(_ text: String) async throws {
        try text.write(to: command, atomically: true, encoding: .utf8)
        try await untilFiles(in: command.deletingLastPathComponent(), "the command has succeeded") {
            !FileManager.default.fileExists(atPath: command.path)
        }
    }
}
