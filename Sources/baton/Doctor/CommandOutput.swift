// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import Glibc
import Threads

/// What another program says of the system.
enum CommandOutput {
    /// The most that is read, in bytes.
    private static let limit = 65_536

    /// Runs a command, and waits until it has ended.
    ///
    /// - Returns: What it wrote; nil if it failed, or is not there.
    static func of(_ command: String) async throws -> String? {
        let (reader, writer) = try OpenDescriptor.pipe()
        let program = command.prefix { $0 != " " }
        let child = try await ShellCommand(text: "exec \(command) 2>/dev/null").start(output: writer.forChild)
        // Who gives the check up does not leave it behind.
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
