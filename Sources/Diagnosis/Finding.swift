// SPDX-License-Identifier: Apache-2.0

/// A problem that keeps Baton from working, and the advice for it.
public struct Finding: Hashable, Sendable {
    /// The kind of problem: the raw value of a ``FindingCode``, or a code of a newer version.
    public let code: String
    /// One line for people that says what is wrong and what to do.
    public let text: String
    /// A shell command that solves the problem, or `nil` if there is none.
    public let command: String?

    /// Creates a finding.
    public init(_ code: FindingCode, _ text: String, command: String? = nil) {
        self.init(code: code.rawValue, text: text, command: command)
    }

    /// Creates a finding from another program's report.
    public init(code: String, text: String, command: String?) {
        self.code = code
        self.text = text
        self.command = command
    }
}
