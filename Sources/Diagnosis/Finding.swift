// SPDX-License-Identifier: Apache-2.0

/// A problem that keeps Baton from working. The module `Wording` describes it in words, with
/// advice.
public struct Finding: Hashable, Sendable {
    /// The kind of problem, with its values. The code is the raw value of a ``FindingCode``, or a
    /// code of a newer version.
    public let reason: Reason
    /// A shell command that solves the problem, or `nil` if there is none.
    public let command: String?
    /// The sentence of the program that reported the problem, for programs that do not know its
    /// code. In the program that found the problem, the sentence is `nil`.
    public let reported: String?

    /// Creates a finding.
    public init(_ code: FindingCode, _ values: [String: Reason.Value] = [:], command: String? = nil) {
        self.init(Reason(code: code.rawValue, values: values), command: command, reported: nil)
    }

    /// Creates a finding from another program's report.
    public init(_ reason: Reason, command: String?, reported: String?) {
        self.reason = reason
        self.command = command
        self.reported = reported
    }

    /// The kind of problem.
    public var code: String { reason.code }

    /// Compares the reason and the command, but not the reported sentence.
    public static func == (left: Finding, right: Finding) -> Bool {
        left.reason == right.reason && left.command == right.command
    }

    /// Hashes the values that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(reason)
        hasher.combine(command)
    }
}
