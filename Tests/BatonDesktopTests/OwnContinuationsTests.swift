// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonDesktop
@_spi(Reported) import HandoffModel
import Synchronization
import Testing

/// Tests that the progress of a program's own continuations is sent to that program only.
@Suite struct OwnContinuationsTests {
    private final class Told: Sendable {
        private let stored = Mutex<[String]>([])
        var lines: [String] { stored.withLock { $0 } }

        func tell(_ progress: OfferProgress, _ client: ClientID) {
            stored.withLock { $0.append("\(client) \(progress.offer) \(progress.phase.rawValue)") }
        }
    }

    private let told = Told()
    private let own: OwnContinuations

    init() {
        let told = told
        own = OwnContinuations { told.tell($0, $1) }
    }

    private static func client(_ number: Int) -> ClientID { ClientID(rawValue: ":1.\(number)") }

    private func fetch(_ offer: String, as continuation: String, for client: String = ":1.1") async throws {
        _ = try await own.fetch(offer, for: ClientID(rawValue: client)) {
            ContinuedActivity(
                continuation: continuation, activity: ActivityState(activityType: "org.example.note"), device: "d",
                deviceName: "sofa", transport: "tcp")
        }
    }

    @Test("Each step of a continuation is sent once, and no step is sent after the end")
    func steps() async throws {
        try await fetch("o", as: "c")
        own.ended("c", of: Self.client(2), nil)
        own.ended("c", of: Self.client(1), nil)
        own.ended("c", of: Self.client(1), nil)
        #expect(told.lines == [":1.1 o fetching", ":1.1 o delivering", ":1.1 o done"])
    }

    @Test("A failure is reported once, whether it happens before or after the activity has arrived")
    func failures() async throws {
        await #expect(throws: BatonError.self) {
            _ = try await own.fetch("o", for: Self.client(1)) { throw BatonError(.notFound, reported: "gone") }
        }
        try await fetch("p", as: "c")
        own.ended("c", of: Self.client(1), BatonError(.failed, reported: "no"))
        #expect(
            told.lines == [":1.1 o fetching", ":1.1 o failed", ":1.1 p fetching", ":1.1 p delivering", ":1.1 p failed"])
    }

    @Test("Sixteen continuations of each program are remembered, until the program leaves")
    func limits() async throws {
        try await fetch("other", as: "other", for: ":1.2")
        for number in 0...16 { try await fetch("o\(number)", as: "c\(number)") }
        let before = told.lines.count
        own.ended("c0", of: Self.client(1), nil)
        #expect(told.lines.count == before)
        own.ended("c1", of: Self.client(1), nil)
        own.ended("other", of: Self.client(2), nil)
        #expect(told.lines.suffix(2) == [":1.1 o1 done", ":1.2 other done"])
        own.clientLeft(Self.client(1))
        own.ended("c2", of: Self.client(1), nil)
        #expect(told.lines.count == before + 2)
    }
}
