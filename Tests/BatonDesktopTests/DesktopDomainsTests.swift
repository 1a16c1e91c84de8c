// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Foundation
import Synchronization
import Testing

@testable import BatonDesktop

/// Domains that are asked without anybody's wish, at times that the test plays.
extension DesktopTests {
    @Test("A domain is asked some time after its app came, and again before its answer expires")
    func timesOfAskingADomain() async throws {
        let time = PlayedTime()
        try await withFetcher { fetcher, asked in
            let app = "Name=Reader\nX-Baton-Team=TEAM\nX-Baton-AssociatedDomains=example.test;\n"
            try await withDesktop(
                asker: DomainAsker(.program(fetcher)), domainClock: time.clock, apps: ["org.example.Reader": app]
            ) { desktop, _, _, _ in
                var waits = time.waits.makeAsyncIterator()
                #expect(await desktop.domains.map(\.state) == [.pending])
                // The first look may have come before the app.
                _ = await waits.next()
                time.pass(0)
                #expect(await waits.next() == .seconds(10))
                time.pass(10)
                #expect(await waits.next() == DomainInquiries.interval)
                #expect(await desktop.domains.map(\.state) == [.agreed])
                try #expect(questions(asked) == 1)
                // Three quarters of a day: the last of it is when it is asked again.
                time.pass(64_799)
                #expect(await waits.next() == .seconds(1))
                try #expect(questions(asked) == 1)
                time.pass(1)
                #expect(await waits.next() == DomainInquiries.interval)
                try #expect(questions(asked) == 2)
            }
        }
    }

    /// A program in the place of `domain-fetcher`, and the file with what it was asked.
    private func withFetcher(_ body: (_ program: String, _ asked: URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "fetcher-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (program, asked) = (directory.appending(path: "program"), directory.appending(path: "asked"))
        let answer = #"{"approved":["TEAM.org.example.Reader"],"lifetime":86400}"#
        let script = "#!/bin/sh\nread -r line; echo \"$line\" >>'\(asked.path)'; echo '\(answer)'\n"
        try Data(script.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
        try await body(program.path, asked)
    }

    private func questions(_ file: URL) throws -> Int {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count
    }
}

extension Desktop {
    func use(_ clock: DomainClock) { inquiries.clock = clock }
}

/// Time that passes when the test says so.
private final class PlayedTime: Sendable {
    /// How long the desktop wants to wait, each time that it does.
    let waits: AsyncStream<Duration>
    private let waiting: AsyncStream<Duration>.Continuation
    private let passed: AsyncStream<Void>
    private let passing: AsyncStream<Void>.Continuation
    private let now = Mutex(1_800_000_000)

    init() {
        (waits, waiting) = AsyncStream.makeStream()
        (passed, passing) = AsyncStream.makeStream()
    }

    /// The desktop's clock; chance is at its least.
    var clock: DomainClock {
        DomainClock(
            now: { self.now.withLock { $0 } }, chance: { 0 },
            wait: { duration in
                self.waiting.yield(duration)
                for await _ in self.passed { return }
            })
    }

    /// So many seconds pass, and the desktop has waited.
    func pass(_ seconds: Int) {
        now.withLock { $0 += seconds }
        passing.yield()
    }
}
