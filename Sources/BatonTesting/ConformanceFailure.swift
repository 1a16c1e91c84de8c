// SPDX-License-Identifier: Apache-2.0

/// A failed conformance check.
public struct ConformanceFailure: Error, Hashable, Sendable {
    /// The check's name in the suite.
    public var check: String
    /// The expected and the actual result.
    public var detail: String

    /// Creates a failure.
    public init(check: String, detail: String) {
        self.check = check
        self.detail = detail
    }
}

extension ConformanceFailure: CustomStringConvertible {
    /// The check and the detail, in one line.
    public var description: String { "\(check): \(detail)" }
}
