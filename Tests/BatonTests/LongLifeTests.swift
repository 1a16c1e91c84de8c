// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Testing
import UserActivity

@testable import Baton
@testable import BatonClient

/// Tests that an app that runs for a long time uses no more memory than a new one.
@Suite(.timeLimit(.minutes(5))) struct LongLifeTests {
    @Test("An event stream that was released is forgotten")
    func streamLetGoIsForgotten() async throws {
        let observers = PublicationObservers()
        let activity = UserActivity(activityType: "org.example.edit").identity
        let kept = observers.stream(for: activity)
        for _ in 0..<100_000 { _ = observers.stream(for: activity) }
        #expect(observers.count == 1)
        for number in 0..<100_000 { observers.send(.warning("\(number)"), of: activity) }
        observers.finish(activity)
        var events = 0
        for await _ in kept { events += 1 }
        #expect(events == PublicationObservers.buffer)
        #expect(observers.count == 0)
    }

    @Test("If nobody consumes the events, each offer is reported only once, however often it changes")
    func offersNobodyAsksAbout() async throws {
        let news = OfferNews()
        var offer = OfferSummary(offer: "1", device: "bb", deviceName: "sofa")
        news.apply(.appeared(offer))
        #expect(try await news.next() == .appeared(offer))
        for signal in 0..<100_000 {
            offer.signal = -signal
            news.apply(.changed(offer))
            news.apply(.appeared(OfferSummary(offer: "gone \(signal)", device: "cc", deviceName: "bed")))
            news.apply(.disappeared(offer: "gone \(signal)"))
            try #require(news.count == 1)
        }
        #expect(try await news.next() == .changed(offer))
        // An offer that disappeared and came back is reported only if it differs.
        news.apply(.disappeared(offer: "1"))
        news.apply(.appeared(offer))
        #expect(news.count == 0)
        news.apply(.disappeared(offer: "1"))
        news.finish(throwing: BatonError(.daemonNotRunning, appMessage: "gone"))
        #expect(try await news.next() == .disappeared(offer: "1"))
        await #expect(throws: BatonError.self) { _ = try await news.next() }
    }

    @Test("If there are too many files, those that are not in use are forgotten, the oldest first")
    func oldestFilesAreForgotten() throws {
        let access = ScopedAccess()
        try withDirectory { root in
            let first = root.appending(path: "first")
            try Data().write(to: first)
            access.grant(first, sharedIn: root)
            #expect(access.start(first))
            for number in 0..<5_000 { access.grant(root.appending(path: "\(number)"), sharedIn: root) }
            #expect(access.count == ScopedAccess.maximumGrants)
            // A forgotten copy is removed with its folder.
            let folders = (0...ScopedAccess.maximumGrants).map { root.appending(path: "copy \($0)") }
            for folder in folders {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                access.grant(folder.appending(path: "file"), copiedInto: folder)
            }
            #expect(access.count == ScopedAccess.maximumGrants)
            #expect(folders.map { FileManager.default.fileExists(atPath: $0.path) }.firstIndex(of: true) == 2)
            // The first file was in use all the time, so it was not forgotten.
            access.stop(first)
            #expect(access.start(first))
        }
    }

    @Test("Warnings about activities that never become known are limited")
    func earlyWarningsAreBounded() throws {
        var warnings = EarlyWarnings()
        for number in 0..<100_000 {
            warnings.insert("text", of: "\(number)")
            try #require(warnings.count <= EarlyWarnings.maximum)
        }
        #expect(warnings.take("99999") == "text")
        #expect(warnings.take("1") == nil)
    }

    @Test("Changes that come after a connection has ended are dropped")
    func changesAfterConnectionEnd() async throws {
        try await PrivateBus.with { bus in
            let connection = try await BatonConnection.open(address: bus.address)
            await connection.close()
            for _ in 0..<10_000 {
                connection.activityChanged(UserActivity(activityType: "org.example.edit", host: connection))
            }
            #expect(connection.daemon.requests.count == 0)
        }
    }
}
