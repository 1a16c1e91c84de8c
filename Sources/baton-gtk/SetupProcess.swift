// SPDX-License-Identifier: Apache-2.0

import ChildProcesses
import SystemSetup

/// Changes the system with the programs that are made for this.
enum SetupProcess {
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
        guard let process = try? await ChildProcess(program, arguments, output: .none), let end = try? await process.end
        else { return .failed }
        return SetupOutcome(status: end.status)
    }
}
