// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import FoundationEssentials
import Glibc
import SystemSetup

/// Runs the programs of `Packaging/setup`, which change the system.
enum SetupProcess {
    /// The largest part of a program's standard error that is read, in bytes.
    private static let longestMessage = 4_096

    /// Makes a change, and waits for its end. pkexec makes the desktop ask for a password.
    static func run(_ step: SetupStep) async -> SetupOutcome {
        guard let program = step.program else { return .failed }
        // Ask for no password if nothing would be changed, or if the program would refuse.
        if step == .installBluetoothSettings, SetupState.current.hasBluetoothSettings { return .done }
        if let check = step.check {
            let outcome = await end(of: check, [])
            guard outcome == .done else { return outcome }
        }
        return await end(of: SetupState.pkexec, ["--disable-internal-agent", program])
    }

    private static func end(of program: String, _ arguments: [String]) async -> SetupOutcome {
        // A file in memory, because the program must neither wait for a reader nor lose it.
        let name = "/baton-" + UUID().uuidString
        let message = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0o600)
        guard message >= 0 else { return .failed }
        shm_unlink(name)
        defer { close(message) }
        guard
            let process = try? await ChildProcess(
                program, arguments, output: .none, error: .descriptor(message, close: {})),
            let end = try? await process.end
        else { return .failed }
        return SetupOutcome(status: end.status, message: passOn(message))
    }

    /// Copies another program's standard error to this program's standard error, and returns it.
    private static func passOn(_ file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: longestMessage)
        let count = max(0, pread(file, &bytes, bytes.count, 0))
        _ = write(STDERR_FILENO, bytes, count)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
