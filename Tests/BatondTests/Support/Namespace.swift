// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Glibc

/// Namespaces that give a daemon its own view of the machine, with a shell that changes that view.
struct Namespace {
    private let command: URL
    /// The commands of the shell before it becomes the daemon.
    let prelude: String

    /// Creates the commands.
    ///
    /// - Parameters:
    ///   - unsharing: The daemon's own namespaces, as options of unshare(1).
    ///   - first: A command that runs in them before the daemon begins.
    init(_ root: URL, unsharing: String, first: String) {
        command = root.appending(path: "command")
        // Without root, the mounts need a user namespace.
        let user = geteuid() == 0 ? "" : "--user --map-current-user --keep-caps"
        prelude = """
            export COMMAND='\(command.path)'; exec unshare \(unsharing) \(user) sh -c '
            \(first) || exit 9
            (while kill -0 $$ 2>/dev/null; do
                [ -e "$COMMAND" ] && sh "$COMMAND" && rm "$COMMAND"; sleep 0.05
            done) & exec "$@"' sh "$@"
            """
    }

    /// Makes the shell run a command, and waits until it has succeeded.
    func run(_ text: String) async throws {
        try text.write(to: command, atomically: true, encoding: .utf8)
        try await untilFiles(in: command.deletingLastPathComponent(), "the command has succeeded") {
            !FileManager.default.fileExists(atPath: command.path)
        }
    }
}
