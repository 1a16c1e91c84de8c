// SPDX-License-Identifier: Apache-2.0

import ChildProcesses

/// A command line that the user gave, for `sh -c`.
struct ShellCommand: Sendable {
    let text: String

    /// Starts the command in its own process group, so that its descendants can be ended with it.
    /// The command inherits the tool's standard error.
    ///
    /// - Parameters:
    ///   - input: The command's standard input.
    ///   - output: The command's standard output.
    ///   - environment: The variables to add to the tool's environment.
    func start(
        input: ChildProcess.Stream = .none, output: ChildProcess.Stream, environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await ChildProcess(
            "/bin/sh", ["-c", text], environment: .own(adding: environment), input: input, output: output)
    }
}

extension ChildProcess.End {
    /// The failure as a phrase that follows "the command", or `nil` if the process succeeded.
    var failure: String? {
        switch self {
        case .exited(0): nil
        case .exited(let status): "ended with status \(status)"
        case .killed(let signal): "was ended by signal \(signal)"
        }
    }
}
