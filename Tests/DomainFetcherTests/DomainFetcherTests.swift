// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import BatonTesting
import ChildProcesses
import Diagnosis
import Foundation
import SiteTesting
import Testing

/// Tests the real program, which asks a real https server on loopback with a certificate of a test
/// authority (requirements 113 to 117).
///
/// The tests run one after another, because the program waits ten seconds for an answer and two
/// cores cannot start many of it at once.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DomainFetcherTests {
    private static let domain = "example.test"
    private static let file = "/.well-known/apple-app-site-association"
    private static let app = "TEAM.org.example.Reader"

    /// Returns the program's answer about a site.
    private func answer(
        _ site: TestSite, trusting authority: TestAuthority, apps: [String] = [app], mayBeLocal: Bool = true,
        address: String = "127.0.0.1", domain: String = domain
    ) async throws -> FetchAnswer {
        let request = FetchRequest(
            domain: try #require(DomainName(domain)), apps: apps.compactMap { AppIdentifier($0) },
            mayBeLocal: mayBeLocal)
        let (input, output) = (Pipe(), Pipe())
        let program = try await ChildProcess(
            Sandbox.built("domain-fetcher"),
            ["--authority", authority.file.path, "--connect", "\(domain)=\(address):\(site.port)"],
            environment: .only([:]), input: .handle(input.fileHandleForReading),
            output: .handle(output.fileHandleForWriting))
        try input.fileHandleForWriting.write(contentsOf: Data(request.line + [UInt8(ascii: "\n")]))
        let line = try await output.fileHandleForReading.allUpcoming()
        #expect(try await program.end == .exited(0))
        return try #require(FetchAnswer(line: Array(line.dropLast()), about: request.apps))
    }

    private func withSite(
        _ answers: [String: TestSite.Answer], name: String = domain, days: Int = 1, isOutdated: Bool = false,
        _ body: (TestSite, TestAuthority) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "site-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let authority = try TestAuthority(in: directory)
        let site = try await TestSite.start(name, authority, days: days, isOutdated: isOutdated, answers)
        try await body(site, authority)
        try await site.stop()
    }

    /// Checks that the program's answer begins with these words.
    private func expect(_ words: String, of site: TestSite, trusting authority: TestAuthority) async throws {
        let answer = reason(try await self.answer(site, trusting: authority))
        #expect(answer.hasPrefix(words), "\(answer)")
    }

    private func reason(_ answer: FetchAnswer) -> String {
        switch answer {
        case .answered: "answered"
        case .refused(let problem, _): "refused: \(problem.failure.rawValue)"
        case .unreachable(let problem): "unreachable: \(problem.failure.rawValue)"
        }
    }

    @Test("A domain that lists the app approves it, and other apps in the file are not reported")
    func agreed() async throws {
        let answers = [Self.file: TestSite.Answer.approving(Self.app, "OTHER.org.example.Else")]
        try await withSite(answers) { site, authority in
            let answer = try await self.answer(site, trusting: authority, apps: [Self.app, "TEAM.org.example.Not"])
            #expect(answer == .answered(approved: [try #require(AppIdentifier(Self.app))], lifetime: 86_400))
        }
    }

    @Test("A request contains the domain's name, and nothing about the user, the computer or its apps")
    func nothingAboutTheUser() async throws {
        try await withSite([Self.file: .approving(Self.app)]) { site, authority in
            _ = try await answer(site, trusting: authority)
            let question = try #require(site.questions.first)
            #expect(question.path == Self.file && site.questions.count == 1)
            #expect(
                question.headers == [
                    "host": "\(Self.domain):\(site.port)", "accept": "application/json",
                    "accept-encoding": "identity", "user-agent": "Baton",
                ])
        }
    }

    @Test("The file is looked for below .well-known, then at the root")
    func root() async throws {
        try await withSite(["/apple-app-site-association": .approving(Self.app)]) { site, authority in
            try await expect("answered", of: site, trusting: authority)
            #expect(site.questions.map(\.path) == [Self.file, "/apple-app-site-association"])
        }
    }

    @Test("A domain without the file, or with a file that does not list the app, does not approve it")
    func refused() async throws {
        try await withSite([:]) { site, authority in
            try await expect("refused: domain-without-file", of: site, trusting: authority)
            site.change([Self.file: .approving("OTHER.org.example.Else")])
            let answer = try await self.answer(site, trusting: authority)
            #expect(answer == .answered(approved: [], lifetime: 86_400))
        }
    }

    @Test("No redirect is followed, not even to the same domain", arguments: ["https://else.test/", "/other"])
    func redirected(location: String) async throws {
        let answers = [Self.file: TestSite.Answer(status: 302, headers: [("location", location)])]
        try await withSite(answers.merging(["/other": .approving(Self.app)]) { $1 }) { site, authority in
            try await expect("refused: domain-redirects", of: site, trusting: authority)
            #expect(site.questions.count == 1)
        }
    }

    @Test(
        "A file of 128 KiB is read and a larger one refused, whether or not the server states its length",
        arguments: [true, false])
    func tooLarge(saysLength: Bool) async throws {
        let file = TestSite.Answer.approving(Self.app).body
        func padded(_ size: Int) -> TestSite.Answer {
            TestSite.Answer(file + [UInt8](repeating: 0x20, count: size - file.count), saysLength: saysLength)
        }
        try await withSite([Self.file: padded(131_072)]) { site, authority in
            try await expect("answered", of: site, trusting: authority)
            site.change([Self.file: padded(131_073)])
            try await expect("refused: domain-file-too-large", of: site, trusting: authority)
        }
    }

    @Test("A compressed file is refused")
    func compressed() async throws {
        func encoded(_ encoding: String) -> TestSite.Answer {
            .approving(Self.app, headers: [("content-encoding", encoding)])
        }
        try await withSite([Self.file: encoded("gzip")]) { site, authority in
            try await expect("refused: domain-file-compressed", of: site, trusting: authority)
            site.change([Self.file: encoded("identity")])
            try await expect("answered", of: site, trusting: authority)
        }
    }

    @Test("A server that speaks only TLS 1.1 counts as unreachable")
    func outdated() async throws {
        try await withSite([Self.file: .approving(Self.app)], isOutdated: true) { site, authority in
            try await expect("unreachable: ", of: site, trusting: authority)
            #expect(site.questions.isEmpty)
        }
    }

    @Test("A server that stops in the middle is abandoned after ten seconds")
    func slow() async throws {
        try await withSite([Self.file: TestSite.Answer([1, 2, 3], hangs: true)]) { site, authority in
            let start = ContinuousClock.now
            try await expect("unreachable: domain-late", of: site, trusting: authority)
            #expect((.seconds(9) ... .seconds(60)).contains(ContinuousClock.now - start))
        }
    }

    @Test("A certificate that is for another name, expired or from an unknown authority proves nothing")
    func wrongCertificate() async throws {
        let proof = "unreachable: domain-unproved"
        try await withSite([Self.file: .approving(Self.app)], name: "else.test") { site, authority in
            try await expect(proof, of: site, trusting: authority)
            #expect(site.questions.isEmpty)
        }
        try await withSite([Self.file: .approving(Self.app)], days: -1) { site, authority in
            try await expect(proof, of: site, trusting: authority)
        }
        try await withSite([Self.file: .approving(Self.app)]) { site, _ in
            let other = try TestAuthority(in: FileManager.default.temporaryDirectory)
            defer { try? FileManager.default.removeItem(at: other.file) }
            try await expect(proof, of: site, trusting: other)
        }
    }

    @Test(
        "An address of this computer or of a private network is not dialled unless the configuration allows it",
        arguments: ["127.0.0.1", "::1", "10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"])
    func privateAddress(_ address: String) async throws {
        try await withSite([Self.file: .approving(Self.app)]) { site, authority in
            let answer = try await self.answer(site, trusting: authority, mayBeLocal: false, address: address)
            #expect(reason(answer).hasPrefix("unreachable: domain-private"))
            #expect(site.questions.isEmpty)
        }
    }

    @Test("A signed file is refused with the reason, and JSON with the content type of a signed file is read")
    func signed() async throws {
        let file = TestSite.Answer.approving(Self.app).body
        let type = [("content-type", "application/pkcs7-mime; smime-type=signed-data")]
        try await withSite([Self.file: TestSite.Answer([0x30, 0x82] + file)]) { site, authority in
            try await expect("refused: domain-file-signed", of: site, trusting: authority)
            site.change([Self.file: TestSite.Answer(Array("nothing".utf8), headers: type)])
            try await expect("refused: domain-file-signed", of: site, trusting: authority)
            site.change([Self.file: TestSite.Answer(file, headers: type)])
            let app = try #require(AppIdentifier(Self.app))
            guard case .answered(let approved, _) = try await answer(site, trusting: authority) else {
                Issue.record("the file was not read")
                return
            }
            #expect(approved == [app])
        }
    }

    @Test("HTTP's headers decide how long an answer is valid, at least a day, and a server error does not count")
    func cached() async throws {
        let week = [("cache-control", "public, max-age=604800")]
        try await withSite([Self.file: .approving(Self.app, headers: week)]) { site, authority in
            let app = try #require(AppIdentifier(Self.app))
            let first = try await answer(site, trusting: authority)
            #expect(first == .answered(approved: [app], lifetime: 604_800))
            site.change([Self.file: .approving(Self.app, headers: [("cache-control", "no-store")])])
            let second = try await answer(site, trusting: authority)
            #expect(second == .answered(approved: [app], lifetime: 86_400))
            site.change([Self.file: TestSite.Answer(status: 503)])
            try await expect("unreachable: domain-status", of: site, trusting: authority)
        }
    }

    @Test("An invalid request gets no answer, and the program fails")
    func hostileRequest() async throws {
        for text in ["", "example.test\n", #"{"domain":"127.0.0.1","apps":[],"mayBeLocal":true}"# + "\n"] {
            let input = Pipe()
            let program = try await ChildProcess(
                Sandbox.built("domain-fetcher"), environment: .only([:]), input: .handle(input.fileHandleForReading),
                output: .none, error: .none)
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            try input.fileHandleForWriting.close()
            #expect(try await program.end == .exited(1))
        }
    }
}
