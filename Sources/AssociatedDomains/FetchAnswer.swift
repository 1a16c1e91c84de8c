// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The answer of `domain-fetcher`: one line of JSON.
public enum FetchAnswer: Hashable, Sendable {
    /// The domain answered, and approves these of the requested apps. The lifetime is in seconds.
    case answered(approved: [AppIdentifier], lifetime: Int)
    /// The domain answered, but the answer is unusable because of this problem.
    case refused(DomainProblem, lifetime: Int)
    /// The domain did not answer, because of this problem.
    case unreachable(DomainProblem)

    /// The maximum length of a line, in bytes.
    public static let maximumLength = 65_536

    private struct Form: Codable {
        var approved: [String]?
        var refused: DomainProblem?
        var unreachable: DomainProblem?
        var lifetime: Int?
    }

    /// The line without its newline.
    public var line: [UInt8] {
        var form = Form()
        switch self {
        case .answered(let apps, let lifetime): (form.approved, form.lifetime) = (apps.map(\.description), lifetime)
        case .refused(let problem, let lifetime): (form.refused, form.lifetime) = (problem, lifetime)
        case .unreachable(let problem): form.unreachable = problem
        }
        return Array((try? JSONEncoder().encode(form)) ?? Data())
    }

    /// Reads a line. Returns nil if the line is invalid.
    ///
    /// - Parameter apps: The requested apps. Approvals of other apps are dropped.
    public init?(line: [UInt8], about apps: [AppIdentifier]) {
        guard line.count <= Self.maximumLength, let form = try? JSONDecoder().decode(Form.self, from: Data(line))
        else { return nil }
        let lifetime = Freshness.bounded(form.lifetime ?? 0)
        if let approved = form.approved {
            let approved = Set(approved.compactMap { AppIdentifier($0) })
            self = .answered(approved: apps.filter(approved.contains), lifetime: lifetime)
        } else if let problem = form.refused {
            self = .refused(problem, lifetime: lifetime)
        } else if let problem = form.unreachable {
            self = .unreachable(problem)
        } else {
            return nil
        }
    }
}
