// SPDX-License-Identifier: Apache-2.0

/// A conformance check that an implementation did not pass.
public struct ConformanceFailure: Error, Hashable, Sendable {
    /// The check, by its name in the suite.
    public var check: String
    /// What was expected and what was seen.
    public var detail: String

    /// A failure of a check.
    public init(check: String, detail: String) {
        self.check = check
        self.detail = detail
    }
}

extension ConformanceFailure: CustomStringConvertible {
    /// The check and the detail, in one line.
    public var description: String { "\(check): \(detail)" }
}
