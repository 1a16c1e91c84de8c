// SPDX-License-Identifier: Apache-2.0

public import Diagnosis

/// The reason why a domain's answer, or a missing answer, lets no app continue the domain's pages.
public struct DomainProblem: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of problem.
    public let failure: FailureCode
    /// The message of the system or a library about it, or nil if there is none.
    public let message: String?
    /// The status of the domain's response, or nil if that is not the problem.
    public let status: Int?
    /// The system's error number, or nil if there is none.
    public let errno: Int?

    /// The maximum length of a message, in bytes. Longer messages are cut.
    public static let maximumMessage = 512

    private enum CodingKeys: String, CodingKey {
        case failure = "code"
        case message, status, errno
    }

    /// Creates a problem.
    public init(_ failure: FailureCode, message: String? = nil, status: Int? = nil, errno: Int32? = nil) {
        self.failure = failure
        self.message = message.map(Self.bounded)
        self.status = status
        self.errno = errno.map(Int.init)
    }

    /// Reads a problem, and cuts its message. Throws for a failure that is not about domains.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        failure = try values.decode(FailureCode.self, forKey: .failure)
        guard ["domain-", "fetcher-"].contains(where: failure.rawValue.hasPrefix) else {
            throw DecodingError.dataCorruptedError(
                forKey: .failure, in: values, debugDescription: "the failure is not about domains")
        }
        message = try values.decodeIfPresent(String.self, forKey: .message).map(Self.bounded)
        status = try values.decodeIfPresent(Int.self, forKey: .status)
        errno = try values.decodeIfPresent(Int.self, forKey: .errno)
    }

    /// Returns the reason for people.
    public func reason(of domain: DomainName) -> Reason {
        var values: [String: Reason.Value] = ["domain": .text(domain.description)]
        values["message"] = message.map(Reason.Value.text)
        values["status"] = status.map(Reason.Value.count)
        values["reason"] =
            errno.map { .reason(Reason(errno: Int32(clamping: $0))) }
            ?? message.map { .reason(Reason(.textReported, ["message": .text($0)])) }
        return Reason(failure, values)
    }

    /// The problem in one line, for the log.
    public var description: String {
        let details = [message, status.map { "status \($0)" }, errno.map { "error \($0)" }].compactMap { $0 }
        return details.isEmpty ? failure.rawValue : "\(failure.rawValue) (\(details.joined(separator: ", ")))"
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > maximumMessage else { return text }
        return String(decoding: text.utf8.prefix(maximumMessage - 3), as: UTF8.self).prefix { $0 != "\u{FFFD}" } + "…"
    }
}
