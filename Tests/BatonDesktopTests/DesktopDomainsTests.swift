// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Testing

@testable import BatonDesktop

/// Tests that Baton asks domains without a request. The test controls the clock, and nothing is
/// random.
extension DesktopTests {
    @Test("A domain is asked some time after its app appeared, and again before its answer expires")
    func timesOfAskingADomain() async throws {
        let clock = ManualClock(unixTime: 1_800_000_000)
        try await withFetcher { fetcher, asked in
            let app = "Name=Reader\nX-Baton-Team=TEAM\nX-Baton-AssociatedDomains=example.test;\n"
            try await withDesktop(
                asker: DomainAsker(.program(fetcher)), clock: clock, apps: ["org.example.Reader": app]
            ) { desktop, _, _, _ in
                #expect(await desktop.domains.map(\.state) == [.pending])
                // The first check may have happened before the app appeared.
                await clock.waitForMoments { $0 == [.seconds(10)] || $0 == [DomainKeeper.interval] }
                clock.advance(by: DomainKeeper.interval)
                await clock.waitForMoments { $0 == [DomainKeeper.interval * 2] }
                #expect(await desktop.domains.map(\.state) == [.agreed])
                try #expect(questions(asked) == 1)
                // The domain is asked again after three quarters of a day, and not a second
                // earlier.
                clock.advance(by: .seconds(64_799))
                let next = clock.uptime + .seconds(1)
                await clock.waitForMoments { $0 == [next] }
                try #expect(questions(asked) == 1)
                clock.advance(by: .seconds(1))
                await clock.waitForMoments { $0 == [next + DomainKeeper.interval] }
                try #expect(questions(asked) == 2)
            }
        }
    }

    /// Runs a closure with a program that replaces `domain-fetcher`, and with the file of its
    /// requests.
    private func withFetcher(_ body: (_ program: String, _ asked: URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let (program, asked) = (directory.appending(path: "program"), directory.appending(path: "asked"))
            let answer = #"{"approved":["TEAM.org.example.Reader"],"lifetime":86400}"#
            try await writeScript("read -r line; echo \"$line\" >>'\(asked.path)'; echo '\(answer)'", to: program)
            try await body(program.path, asked)
        }
    }

    private func questions(_ file: URL) throws -> Int {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count
    }
}
