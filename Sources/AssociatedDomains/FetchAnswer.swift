// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The answer of `domain-fetcher`: one line of JSON.
public enum FetchAnswer: Hashable, Sendable {
    /// The domain answered, and approves these of the requested apps. The lifetime is in seconds.
    case answered(approved: [AppIdentifier], lifetime: Int)
    /// The domain answered, but the answer is unusable for this reason.
    case refused(reason: String, lifetime: Int)
    /// The domain did not answer, for this reason.
    case unreachable(reason: String)

    /// The greatest length of a line, in bytes.
    public static let maximumLength = 65_536
    /// The greatest length of a reason, in bytes. Longer reasons are cut.
    public static let maximumReason = 512

    private struct Form: Codable {
        var approved: [String]?
        var refused: String?
        var unreachable: String?
        var lifetime: Int?
    }

    /// The line without its newline.
    public var line: [UInt8] {
        var form = Form()
        switch self {
        case .answered(let apps, let lifetime): (form.approved, form.lifetime) = (apps.map(\.description), lifetime)
        case .refused(let reason, let lifetime): (form.refused, form.lifetime) = (Self.bounded(reason), lifetime)
        case .unreachable(let reason): form.unreachable = Self.bounded(reason)
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
        } else if let reason = form.refused {
            self = .refused(reason: Self.bounded(reason), lifetime: lifetime)
        } else if let reason = form.unreachable {
            self = .unreachable(reason: Self.bounded(reason))
        } else {
            return nil
        }
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumReason else { return text }
        return String(decoding: text.utf8.prefix(maximumReason - 3), as: UTF8.self).prefix { $0 != "\u{FFFD}" } + "…"
    }
}
