// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import BatonTesting
import ChildProcesses
import Diagnosis
import Foundation
import Glibc
import SiteTesting
import Testing

@testable import BatonDesktop

/// Tests the ways in which the daemon asks a domain: through a child process, or a program behind
/// systemd's socket.
@Suite(.timeLimit(.minutes(3))) struct DomainAskerTests {
    private let request: FetchRequest

    init() throws {
        request = FetchRequest(
            domain: try #require(DomainName("example.test")), apps: [try #require(AppIdentifier("TEAM.a.b"))],
            mayBeLocal: true)
    }

    private func withScript(_ script: String, _ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "asker-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await writeScript(script, to: file)
        try await body(file.path)
    }

    private func isUnreachable(_ answer: FetchAnswer, _ failure: FailureCode) -> Bool {
        if case .unreachable(let problem) = answer { problem.failure == failure } else { false }
    }

    @Test("A child is asked over its standard streams, and gets none of the daemon's environment")
    func child() async throws {
        let script =
            "read -r line; [ -z \"$HOME\" ] && echo '{\"approved\":[\"TEAM.a.b\",\"TEAM.other\"],\"lifetime\":90000}'"
        try await withScript(script) { program in
            let answer = await DomainAsker(.program(program)).ask(request)
            #expect(answer == .answered(approved: request.apps, lifetime: 90_000))
        }
    }

    @Test("If the program gives no answer, or one that is invalid or too long, the domain counts as unreachable")
    func faulty() async throws {
        let scripts = [
            "exit 3", "read -r line; echo nonsense", "read -r line; printf '{\"approved\":[]}'",
            "read -r line; head -c 70000 /dev/zero; echo", "exec <&-; exec >&-",
        ]
        for script in scripts {
            try await withScript(script) { program in
                #expect(
                    isUnreachable(await DomainAsker(.program(program)).ask(request), .fetcherFailed),
                    "\(script)")
            }
        }
        #expect(isUnreachable(await DomainAsker(.program("/nonexistent")).ask(request), .fetcherNotStarted))
        #expect(isUnreachable(await DomainAsker(nil).ask(request), .fetcherMissing))
        #expect(isUnreachable(await DomainAsker(.socket("/nonexistent")).ask(request), .fetcherUnreached))
    }

    @Test("A program that does not end is killed after twenty seconds")
    func hanging() async throws {
        try await withScript("exec sleep 1000") { program in
            let start = ContinuousClock.now
            #expect(isUnreachable(await DomainAsker(.program(program)).ask(request), .fetcherFailed))
            #expect((.seconds(19) ... .seconds(90)).contains(ContinuousClock.now - start))
        }
    }

    @Test("Behind systemd's socket the real program answers over a connection, which is its standard input and output")
    func socket() async throws {
        try await withDirectory { directory in
            let authority = try TestAuthority(in: directory)
            let file = "/.well-known/apple-app-site-association"
            let site = try await TestSite.start("example.test", authority, [file: .approving("TEAM.a.b")])
            let path = directory.appending(path: "socket").path
            let listener = try UnixListener(path)
            let arguments = ["--authority", authority.file.path, "--connect", "example.test=127.0.0.1:\(site.port)"]
            let systemd = Task {
                let connection = try await listener.accept()
                return try await ChildProcess(
                    Sandbox.built("domain-fetcher"), arguments, environment: .only([:]),
                    input: .descriptor(connection, close: {}),
                    output: .descriptor(connection, close: { close(connection) })
                )
            }
            let answer = await DomainAsker(.socket(path)).ask(request)
            #expect(answer == .answered(approved: request.apps, lifetime: 86_400))
            #expect(try await systemd.value.end == .exited(0))
            try await site.stop()
        }
    }
}

/// A listening socket.
private final class UnixListener: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(descriptor, 1) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { close(descriptor) }

    func accept() async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [descriptor] in
                let connection = Glibc.accept(descriptor, nil, nil)
                if connection < 0 {
                    continuation.resume(throwing: CocoaError(.fileReadUnknown))
                } else {
                    continuation.resume(returning: connection)
                }
            }
        }
    }
}
