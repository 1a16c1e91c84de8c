// SPDX-License-Identifier: Apache-2.0

/// Something that keeps Baton from doing what it is for, and what to do about it.
public struct Finding: Hashable, Sendable {
    /// What kind of thing it is: the raw value of a ``FindingCode``, or one that a newer version
    /// knows.
    public let code: String
    /// One line for people: what is wrong, and what to do.
    public let text: String
    /// A command that mends it, as a shell takes it; nil where none does.
    public let command: String?

    /// A finding.
    public init(_ code: FindingCode, _ text: String, command: String? = nil) {
        self.init(code: code.rawValue, text: text, command: command)
    }

    /// A finding that another program made.
    public init(code: String, text: String, command: String?) {
        self.code = code
        self.text = text
        self.command = command
    }
}
