// SPDX-License-Identifier: Apache-2.0

@testable import AssociatedDomains
@testable import BatonDesktop
import Diagnosis
import Foundation

extension FuzzTarget {
    /// Data about associated domains.
    ///
    /// The target covers a domain's file and headers, the claims of apps, the messages of
    /// domain-fetcher, and the file of domains' answers.
    static let domains = FuzzTarget("domains") {
        let file = #"{"activitycontinuation":{"apps":["TEAM.org.example.Reader"]},"applinks":{}}"#
        let answers = [
            FetchAnswer.answered(approved: app, lifetime: 100_000),
            .refused(DomainProblem(.domainStatus, status: 204), lifetime: 1),
            .unreachable(DomainProblem(.domainUnreached, message: "gone")),
        ]
        var record = DomainRecord(next: 1)
        record.take(answers[0], about: app, at: 1_000, chance: 0.5)
        guard let domain = DomainName("example.com") else { return [] }
        return [
            [0] + Array(file.utf8), [1] + Array("activitycontinuation:*.example.com".utf8),
            [2] + Array("public, max-age=1\nSun, 06 Nov 1994 08:49:37 GMT\nSun, 06 Nov 2094 08:49:37 GMT\n7".utf8),
            [3] + FetchRequest(domain: domain, apps: app).line,
            [5] + Array(try AgreementStore.encode([domain: record])),
        ] + answers.map { [4] + $0.line }
    } body: { input in
        let bytes = Array(input.dropFirst())
        let text = String(decoding: bytes, as: UTF8.self)
        switch (input.first ?? 0) % 6 {
        case 0:
            let file = try SiteAssociation(bytes)
            try FuzzFinding.unless("apps are limited, and nothing signed is read") {
                file.apps.count <= SiteAssociation.maximumApps && bytes.first != 0x30
                    && file.apps.allSatisfy { $0.description.utf8.count <= AppIdentifier.maximumLength }
            }
        case 1:
            let claim = try DomainClaim(text)
            try FuzzFinding.unless("a claim is about a name of DNS, and is written as it was") {
                let name = claim.domain.description
                return name.utf8.count <= 253 && name.contains(".") && claim.domain == DomainName(name)
                    && claim.covers(claim.domain) != claim.isForSubdomains
            }
        case 2:
            let values = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let names = ["cache-control", "date", "expires", "age"]
            let lifetime = Freshness.lifetime { name in
                names.firstIndex(of: name).flatMap { values.indices.contains($0) ? [values[$0]] : nil } ?? []
            }
            try FuzzFinding.unless("an answer is good for a day at least and thirty at most") {
                (Freshness.minimum...Freshness.maximum).contains(lifetime)
            }
        case 3:
            guard let request = FetchRequest(line: bytes) else { return }
            try FuzzFinding.unless("a question is written as it was read") {
                FetchRequest(line: request.line) == request
            }
        case 4:
            guard let answer = FetchAnswer(line: bytes, about: app) else { return }
            try FuzzFinding.unless("an answer is written as it was read, and approves what was asked about") {
                if case .answered(let approved, _) = answer, !approved.allSatisfy(app.contains) { return false }
                return FetchAnswer(line: answer.line, about: app) == answer
            }
        default:
            let records = AgreementStore.decode(Data(bytes))
            try FuzzFinding.unless("what domains have said is written as it was read") {
                AgreementStore.decode(try AgreementStore.encode(records)) == records
            }
        }
    }

    private static let app = [AppIdentifier("TEAM.org.example.Reader")].compactMap { $0 }
}
