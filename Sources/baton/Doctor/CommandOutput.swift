// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import Glibc
import Threads

/// Reads another program's report about the system.
enum CommandOutput {
    /// The largest number of bytes to read.
    private static let limit = 65_536

    /// Runs a command and waits for it to end.
    ///
    /// - Returns: The command's output, or `nil` if the command failed or does not exist.
    static func of(_ command: String) async throws -> String? {
        let (reader, writer) = try OpenDescriptor.pipe()
        let program = command.prefix { $0 != " " }
        let child = try await ShellCommand(text: "exec \(command) 2>/dev/null").start(output: writer.forChild)
        // A cancelled check must not leave the command running.
        return try await withTaskCancellationHandler {
            let text = try await OwnThread.run {
                try Descriptor.readAll(from: reader.number, called: "\(program)", limit: limit)
            }
            guard try await child.end == .exited(0) else { return nil }
            return String(decoding: text, as: UTF8.self)
        } onCancel: {
            child.sendToGroup(SIGKILL)
        }
    }
}
