// SPDX-License-Identifier: Apache-2.0

import ChildProcesses

/// A command of the user's, as `sh -c` takes it.
struct ShellCommand: Sendable {
    let text: String

    /// Starts it in a process group of its own, so that all that it starts can be ended with it.
    /// Its standard error is the tool's.
    ///
    /// - Parameters:
    ///   - input: Its standard input.
    ///   - output: Its standard output.
    ///   - environment: What is added to the tool's.
    func start(
        input: ChildProcess.Stream = .none, output: ChildProcess.Stream, environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await ChildProcess(
            "/bin/sh", ["-c", text], environment: .own(adding: environment), input: input, output: output)
    }
}

extension ChildProcess.End {
    /// How it ended, as a sentence without its subject; nil when it ended well.
    var failure: String? {
        switch self {
        case .exited(0): nil
        case .exited(let status): "ended with status \(status)"
        case .killed(let signal): "was ended by signal \(signal)"
        }
    }
}
