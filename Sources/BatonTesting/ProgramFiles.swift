// SPDX-License-Identifier: Apache-2.0

internal import ChildProcesses
public import Foundation

// Linux runs no file that is open for writing anywhere. If this process wrote a program, a child
// that another test starts meanwhile would have the file open until the child runs its own program.
// So these functions let a child process write it.

/// Writes a script of `sh` that can be run at once.
public func writeScript(_ script: String, to file: URL) async throws {
    try await runShell(#"printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 700 "$0""#, file.path, script)
}

/// Copies a program, so that the copy can be run at once. It replaces a file that exists.
public func copyProgram(_ path: String, to file: URL) async throws {
    try await runShell(#"rm -f "$0" && cp "$1" "$0""#, file.path, path)
}

private func runShell(_ command: String, _ words: String...) async throws {
    let end = try await ChildProcess("/bin/sh", ["-c", command] + words).end
    guard end == .exited(0) else { throw Missing(what: "\(words[0]): \(end)") }
}
